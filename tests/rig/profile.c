// SPDX-License-Identifier: GPL-2.0-or-later
//
// QEMU plugin (API version 1, x86-64 guests): counts the instructions executed
// between two marks, by translation block, task and kernel call path. Loaded
// by `profile`, which reads what it writes.
//
// A mark is a seven byte NOP (0f 1f 80 and "PRF1" or "PRF0") that no compiler
// makes. The kernel's call path is known from a shadow stack: the address a CALL
// or RET touches is the stack pointer, and the pages it lies in tell the
// stacks, thus the tasks, apart. Interrupts and switches need no care: whatever lies
// below the stack pointer of the next CALL or RET is dropped.
#include <inttypes.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Debian ships no qemu-plugin.h; this is what is needed of it.
struct qemu_plugin_tb;
struct qemu_plugin_insn;
typedef uint64_t qemu_plugin_id_t;
enum { cb_no_regs = 0, mem_read = 1, mem_write = 2 };
void qemu_plugin_register_vcpu_tb_trans_cb(qemu_plugin_id_t,
	void (*)(qemu_plugin_id_t, struct qemu_plugin_tb *));
void qemu_plugin_register_vcpu_tb_exec_cb(struct qemu_plugin_tb *,
	void (*)(unsigned, void *), int, void *);
void qemu_plugin_register_vcpu_insn_exec_cb(struct qemu_plugin_insn *,
	void (*)(unsigned, void *), int, void *);
void qemu_plugin_register_vcpu_mem_cb(struct qemu_plugin_insn *,
	void (*)(unsigned, uint32_t, uint64_t, void *), int, int, void *);
size_t qemu_plugin_tb_n_insns(const struct qemu_plugin_tb *);
uint64_t qemu_plugin_tb_vaddr(const struct qemu_plugin_tb *);
struct qemu_plugin_insn *qemu_plugin_tb_get_insn(const struct qemu_plugin_tb *, size_t);
const uint8_t *qemu_plugin_insn_data(const struct qemu_plugin_insn *);
size_t qemu_plugin_insn_size(const struct qemu_plugin_insn *);
uint64_t qemu_plugin_insn_vaddr(const struct qemu_plugin_insn *);
void *qemu_plugin_insn_haddr(const struct qemu_plugin_insn *);

#define PUBLIC __attribute__((visibility("default")))
PUBLIC int qemu_plugin_version = 1;

enum { max_depth = 400, max_bytes = 48, block = 1 << 16, max_blocks = 1 << 10 };

struct count {
	uint32_t node, tb;
	uint64_t executed;
};

struct tb {
	uint64_t address, page;		// guest virtual; host page it lies in
	uint64_t end_site;		// of a CALL or RET at its end
	uint32_t insns, id;
	uint32_t size, last_node;
	struct count *last;
	uint8_t bytes[max_bytes];
};

struct frame {
	uint64_t sp, site;
	int32_t node;			// -1: not looked up yet
};

struct stack {
	uint64_t low, high;		// pages
	uint32_t depth;
	int32_t root;
	struct frame frames[max_depth];
};

struct node {
	int32_t parent;			// a root's is -1 and its site the stack
	uint64_t site;
};

static const char *out_name = "profile.raw";
static bool on;
static int32_t current_node = -1;	// -1: look it up
static uint64_t expected;		// CALL or RET at the end of the running block
static struct stack *current;

static void *must(void *p)
{
	if (!p)
		abort();
	return p;
}

// --- hash from two words to a number -----------------------------------------

struct map {
	struct { uint64_t a, b; uint32_t value; bool used; } *slots;
	size_t size, used;
};

static uint64_t mix(uint64_t a, uint64_t b)
{
	uint64_t h = (a ^ (b + 0x9e3779b97f4a7c15) * 0xbf58476d1ce4e5b9)
		* 0x94d049bb133111eb;
	return h ^ h >> 29;
}

static uint32_t *map_at(struct map *m, uint64_t a, uint64_t b, bool *is_new)
{
	size_t i;

	if (2 * m->used >= m->size) {
		struct map old = *m;
		m->size = old.size ? 2 * old.size : 1 << 12;
		m->used = 0;
		m->slots = must(calloc(m->size, sizeof(*m->slots)));
		for (i = 0; i < old.size; i++)
			if (old.slots[i].used)
				*map_at(m, old.slots[i].a, old.slots[i].b, is_new) =
					old.slots[i].value;
		free(old.slots);
	}
	for (i = mix(a, b) & (m->size - 1); m->slots[i].used; i = (i + 1) & (m->size - 1))
		if (m->slots[i].a == a && m->slots[i].b == b) {
			*is_new = false;
			return &m->slots[i].value;
		}
	m->slots[i].a = a;
	m->slots[i].b = b;
	m->slots[i].used = true;
	m->used++;
	*is_new = true;
	return &m->slots[i].value;
}

static struct map tb_map, count_map, node_map, page_map;
static struct tb **tbs;
static struct stack **stacks;
static struct node *nodes;
static uint32_t n_tbs, n_stacks, n_nodes, n_counts;
static struct count *blocks[max_blocks];

// room for one more in an array that grows by doubling
#define GROW(array, n) do { \
	if (((n) & ((n) - 1)) == 0) \
		(array) = must(realloc((array), ((n) ? 2 * (n) : 1) * sizeof(*(array)))); \
} while (0)

static int32_t node_of(int32_t parent, uint64_t site)
{
	bool is_new;
	uint32_t *v = map_at(&node_map, (uint64_t)parent, site, &is_new);

	if (is_new) {
		GROW(nodes, n_nodes);
		nodes[n_nodes] = (struct node){ parent, site };
		*v = n_nodes++;
	}
	return (int32_t)*v;
}

static int32_t path_of(struct stack *s, uint32_t depth)
{
	struct frame *f;

	if (depth == 0)
		return s->root;
	f = &s->frames[depth - 1];
	if (f->node < 0)
		f->node = node_of(path_of(s, depth - 1), f->site);
	return f->node;
}

// --- the shadow stacks --------------------------------------------------------

// Kernel stacks have guard pages: pages next to each other are one stack.
static struct stack *stack_at(uint64_t page)
{
	static const int near[] = { 1, -1 };
	bool is_new;
	uint32_t *v = map_at(&page_map, page, 0, &is_new), *w;
	size_t i;

	if (!is_new)
		return stacks[*v];
	for (i = 0; i < 2; i++) {
		bool w_new;
		for (uint32_t k = 0; k < n_stacks; k++) {
			struct stack *s = stacks[k];
			if (page + (uint64_t)near[i] < s->low || page + (uint64_t)near[i] > s->high)
				continue;
			w = map_at(&page_map, page, 0, &w_new);
			*w = k;
			s->low = page < s->low ? page : s->low;
			s->high = page > s->high ? page : s->high;
			return s;
		}
	}
	*v = n_stacks;
	GROW(stacks, n_stacks);
	stacks[n_stacks] = must(calloc(1, sizeof(struct stack)));
	stacks[n_stacks]->low = stacks[n_stacks]->high = page;
	stacks[n_stacks]->root = node_of(-1, n_stacks);
	return stacks[n_stacks++];
}

static struct stack *unwind(uint64_t sp)
{
	static uint64_t last_page;

	if (sp >> 12 != last_page) {
		last_page = sp >> 12;
		current = stack_at(last_page);
	}
	while (current->depth && current->frames[current->depth - 1].sp <= sp)
		current->depth--;
	current_node = -1;
	return current;
}

// QEMU 7.2 leaves the callbacks of a block's last access in force for what
// helpers (CMPXCHG16B, XSAVE, interrupts) access later.
static bool is_expected(const void *site)
{
	bool yes = expected == (uintptr_t)site;

	expected = 0;
	return yes;
}

static void on_call(unsigned cpu, uint32_t info, uint64_t sp, void *site)
{
	struct stack *s;

	(void)cpu, (void)info;
	if (!is_expected(site))
		return;
	s = unwind(sp);
	if (s->depth < max_depth)
		s->frames[s->depth++] = (struct frame){ sp, (uintptr_t)site, -1 };
}

static void on_return(unsigned cpu, uint32_t info, uint64_t sp, void *site)
{
	(void)cpu, (void)info;
	if (is_expected(site))
		unwind(sp);
}

// --- counting -----------------------------------------------------------------

static void on_tb(unsigned cpu, void *data)
{
	struct tb *t = data;
	uint32_t node, *v;
	bool is_new;

	(void)cpu;
	expected = t->end_site;
	if (!on || !current)
		return;
	if (!(t->address >> 63)) {
		node = (uint32_t)current->root;
	} else {
		if (current_node < 0)
			current_node = path_of(current, current->depth);
		node = (uint32_t)current_node;
	}
	if (!t->last || t->last_node != node) {
		v = map_at(&count_map, (uint64_t)node << 32 | t->id, 0, &is_new);
		if (is_new) {
			if (n_counts / block >= max_blocks)
				abort();
			if (n_counts % block == 0)
				blocks[n_counts / block] =
					must(calloc(block, sizeof(struct count)));
			*v = n_counts++;
		}
		t->last = &blocks[*v / block][*v % block];
		t->last->node = t->last_node = node;
		t->last->tb = t->id;
	}
	t->last->executed++;
}

static void dump(void)
{
	FILE *f = must(fopen(out_name, "w"));
	uint32_t i;
	size_t k;

	for (i = 0; i < n_nodes; i++)
		fprintf(f, "N %" PRIu32 " %" PRId32 " %" PRIx64 "\n", i,
			nodes[i].parent, nodes[i].site);
	for (i = 0; i < n_tbs; i++) {
		fprintf(f, "T %" PRIu32 " %" PRIx64 " %" PRIx64 " %" PRIu32 " ", i,
			tbs[i]->address, tbs[i]->page, tbs[i]->insns);
		for (k = 0; k < tbs[i]->size; k++)
			fprintf(f, "%02x", tbs[i]->bytes[k]);
		fputs("-\n", f);
	}
	for (i = 0; i < n_counts; i++) {
		struct count *c = &blocks[i / block][i % block];
		fprintf(f, "C %" PRIu32 " %" PRIu32 " %" PRIu64 "\n", c->node,
			c->tb, c->executed);
	}
	fputs("E\n", f);
	fclose(f);
}

static void on_mark(unsigned cpu, void *data)
{
	(void)cpu;
	on = data != NULL;
	if (!on)
		dump();
}

// --- translation --------------------------------------------------------------

enum kind { other, call, ret };

static enum kind kind_of(const uint8_t *b, size_t n)
{
	while (n > 1 && (*b == 0x2e || *b == 0x3e || *b == 0xf2 || *b == 0xf3 ||
			 *b == 0x66 || (*b & 0xf0) == 0x40))
		b++, n--;
	if (*b == 0xe8 || (*b == 0xff && n > 1 && (b[1] >> 3 & 7) == 2))
		return call;
	return *b == 0xc3 || *b == 0xc2 ? ret : other;
}

static struct tb *record(struct qemu_plugin_tb *q)
{
	uint64_t address = qemu_plugin_tb_vaddr(q);
	uint64_t host = (uintptr_t)qemu_plugin_insn_haddr(qemu_plugin_tb_get_insn(q, 0));
	size_t n = qemu_plugin_tb_n_insns(q), i, size;
	bool is_new;
	uint32_t *v = map_at(&tb_map, address ^ (uint64_t)n << 48, host, &is_new);
	struct tb *t;

	if (!is_new) {
		t = tbs[*v];
		// a page that was put to another use since
		if (t->address >> 63 || memcmp(t->bytes,
				qemu_plugin_insn_data(qemu_plugin_tb_get_insn(q, 0)),
				qemu_plugin_insn_size(qemu_plugin_tb_get_insn(q, 0))) == 0)
			return t;
	}
	t = must(calloc(1, sizeof(*t)));
	t->address = address;
	t->page = host & ~(uint64_t)0xfff;
	t->insns = (uint32_t)n;
	t->id = n_tbs;
	for (i = 0; i < n && !(address >> 63); i++) {
		struct qemu_plugin_insn *insn = qemu_plugin_tb_get_insn(q, i);
		size = qemu_plugin_insn_size(insn);
		if (t->size + size > max_bytes)
			break;
		memcpy(t->bytes + t->size, qemu_plugin_insn_data(insn), size);
		t->size += (uint32_t)size;
	}
	GROW(tbs, n_tbs);
	*v = n_tbs;
	tbs[n_tbs++] = t;
	return t;
}

static void translated(qemu_plugin_id_t id, struct qemu_plugin_tb *q)
{
	static const uint8_t mark[] = { 0x0f, 0x1f, 0x80, 'P', 'R', 'F' };
	struct tb *t = record(q);
	bool user = !(t->address >> 63);
	size_t n = qemu_plugin_tb_n_insns(q), i;

	(void)id;
	qemu_plugin_register_vcpu_tb_exec_cb(q, on_tb, cb_no_regs, t);
	for (i = 0; i < n; i++) {
		struct qemu_plugin_insn *insn = qemu_plugin_tb_get_insn(q, i);
		const uint8_t *b = qemu_plugin_insn_data(insn);
		size_t size = qemu_plugin_insn_size(insn);

		if (user) {
			if (size == 7 && memcmp(b, mark, sizeof(mark)) == 0)
				qemu_plugin_register_vcpu_insn_exec_cb(insn, on_mark,
					cb_no_regs, b[6] == '1' ? (void *)1 : NULL);
		} else if (i == n - 1) {
			enum kind kind = kind_of(b, size);
			t->end_site = kind == other ? 0 : qemu_plugin_insn_vaddr(insn);
			if (kind != other)
				qemu_plugin_register_vcpu_mem_cb(insn,
					kind == call ? on_call : on_return, cb_no_regs,
					kind == call ? mem_write : mem_read,
					(void *)(uintptr_t)t->end_site);
		}
	}
}

PUBLIC int qemu_plugin_install(qemu_plugin_id_t id, const void *info, int argc, char **argv);
PUBLIC int qemu_plugin_install(qemu_plugin_id_t id, const void *info, int argc, char **argv)
{
	(void)info;
	if (argc > 0 && strncmp(argv[0], "out=", 4) == 0)
		out_name = strdup(argv[0] + 4);
	qemu_plugin_register_vcpu_tb_trans_cb(id, translated);
	return 0;
}
