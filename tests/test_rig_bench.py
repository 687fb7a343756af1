#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""What tests/rig/bench makes of what the guest hands out, and what tests/rig/show prints of it."""
import contextlib
import copy
import importlib.machinery
import importlib.util
import io
import os
import sys
import unittest

RIG = os.path.join(os.path.dirname(os.path.realpath(__file__)), "rig")


def load(name):
    sys.dont_write_bytecode = True
    loader = importlib.machinery.SourceFileLoader(name, os.path.join(RIG, name))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader(name, loader))
    loader.exec_module(module)
    return module


bench, show = load("bench"), load("show")


def rtt(p50):
    return {"rtt_us": {"min": 1, "mean": p50 + 1, "p50": p50, "p99": p50 + 9, "max": p50 + 10}, "lost": 0}


def tcp(mbps, stalls=0):
    use = {"elapsed_us": 10e6, "busy_us": 2e6, "processors": 1}
    return {"mbps": mbps, "stalls": stalls, "retransmits": 1, "all_bytes": 50e6, "processor": use}


def stats(n):
    """Counters that have grown n times."""
    to_host = {"datagrams": 100 * n, "ntbs": 10 * n, "tap_reads": 30 * n}
    from_host = {"datagrams": 20 * n, "ntbs": 20 * n, "tap_writes": 20 * n}
    loop = {"turns": 5 * n, "timer_sets": 0, "submit_calls": 3 * n, "reap_calls": 2 * n}
    return {"policy": "immediate", "to_host": to_host, "from_host": from_host, "loop": loop}


def raw(gadget="ncmd", p50=300.0):
    part = {
        "gadget": gadget, "profile": "latency", "transport": "functionfs", "speed": "high",
        "dummy_hcd": "stock", "clock": "icount-1",
        "environment": {"kernel": "6.12", "udc": "dummy_udc.0", "host_driver": "cdc_ncm", "host_tx_timer_us": 400},
        "rtt_from_device": rtt(p50), "rtt_from_host": rtt(p50), "tcp_to_device": tcp(250.0),
        "tcp_to_host": tcp(480.0), "loaded": {"rtt": rtt(3000.0), "tcp": tcp(470.0, 2)},
        "idle": {"busy_us": 40e3, "elapsed_us": 1e6}, "busy_to_device": tcp(40.0),
        "busy_to_host": tcp(40.0), "http_1": {"total_us": 12000}, "http_2": {"total_us": 10000},
        "http_3": {"total_us": 99000}, "burst_then_ping": True,
    }
    if gadget == "ncmd":
        part.update(stats_before=stats(0), stats_between=stats(1), stats_after=stats(3))
        part.update(daemon_us_to_device=500000, daemon_us_to_host=250000, rss_kib=3500)
    return part


def boot(repeat=False):
    settings = {"speed": "high", "timer": 400, "shift": 1, "quick": True, "transport": "functionfs"}
    return settings | {"repeat": repeat}


class Figures(unittest.TestCase):
    def test_of_ncmd(self):
        row = bench.figures(raw())
        self.assertEqual(row["rtt_us"]["from_device"]["p50"], 300.0)
        self.assertEqual((row["udc"], row["host_driver"], row["host_tx_timer_us"]), ("dummy_udc.0", "cdc_ncm", 400))
        self.assertEqual(row["loaded_rtt_us"], {"p50": 3000.0, "p99": 3009.0, "goodput_mbps": 470.0, "lost": 0})
        self.assertEqual((row["stalls"], row["retransmits"], row["http_257k_ms"]), (2, 2, 12.0))
        # (2 s busy less 10 s x 40 ms/s idle) over 50 MB
        self.assertEqual(row["busy_us_per_mb"], {"to_device": 32000, "to_host": 32000})
        self.assertEqual(row["daemon_us_per_mb"], {"to_device": 10000, "to_host": 5000})
        self.assertEqual(row["syscalls_per_datagram"]["to_host"], 0.5)
        self.assertEqual(row["datagrams_per_ntb"], {"to_device": 1.0, "to_host": 10.0})

    def test_failures_of_f_ncm_are_figures(self):
        part = raw("f_ncm")
        part["tcp_to_host"] = part["loaded"] = part["http_1"] = part["busy_to_host"] = {"error": "stalled"}
        row = bench.figures(part)
        self.assertIsNone(row["tcp_to_host_mbps"])
        self.assertIsNone(row["loaded_rtt_us"])
        self.assertEqual(row["stalls"], 3)
        self.assertEqual(row["busy_us_per_mb"], {"to_device": 32000, "to_host": None})
        self.assertIsNone(row["syscalls_per_datagram"])


class Medians(unittest.TestCase):
    def test_median_worst_and_all(self):
        rows = [bench.figures(raw(p50=p)) for p in (300.0, 310.0, 500.0)]
        rows[1]["stalls"], rows[2]["burst_then_ping"], rows[0]["tcp_to_host_mbps"] = 7, False, None
        (row,) = bench.merge_rows(rows)
        self.assertEqual(row["rtt_us"]["from_host"]["p50"], 310.0)
        self.assertEqual((row["stalls"], row["burst_then_ping"], row["starts"]), (7, False, 3))
        self.assertEqual(row["tcp_to_host_mbps"], 480.0)

    def test_gadgets_are_kept_apart(self):
        rows = [bench.figures(raw(g)) for g in ("f_ncm", "ncmd", "f_ncm")]
        self.assertEqual([r["starts"] for r in bench.merge_rows(rows)], [2, 1])

    def test_transports_are_kept_apart(self):
        rows = [bench.figures(raw() | {"transport": t}) for t in ("functionfs", "gadgetfs")]
        self.assertEqual([r["starts"] for r in bench.merge_rows(rows)], [1, 1])
        self.assertEqual([show.name_of(r) for r in rows], ["latency", "latency/GF"])


class Plan(unittest.TestCase):
    def test_gadgetfs_boots_without_f_ncm(self):
        (boot,) = [b for b in bench.plan(True) if b["transport"] == "gadgetfs"]
        words = " ".join(bench.command(boot, "out"))
        self.assertIn("--transport gadgetfs --gadgets ncmd", words)
        self.assertIn("GadgetFS", bench.name_of(boot))

    def test_the_repeated_boot_is_the_first(self):
        for quick in (True, False):
            first, again = [dict(b, repeat=False) for b in (bench.plan(quick)[0], bench.plan(quick)[-1])]
            self.assertEqual(first, again)


class Repetition(unittest.TestCase):
    def repeat(self, change):
        second = copy.deepcopy(raw())
        change(second)
        return bench.assemble([(boot(), [raw()]), (boot(True), [second])], True)["repeat"]

    def said(self, repeat):
        with contextlib.redirect_stdout(io.StringIO()) as out:
            bench.tell_repeat(repeat)
        return out.getvalue()

    def test_same(self):
        repeat = self.repeat(lambda r: None)
        self.assertTrue(repeat["identical"])
        self.assertIn("are the same", self.said(repeat))

    def test_within_noise(self):
        repeat = self.repeat(lambda r: r["tcp_to_host"].update(mbps=481.0))
        self.assertFalse(repeat["identical"])
        self.assertIn("none by more than its noise", self.said(repeat))

    def test_a_trace(self):
        repeat = self.repeat(lambda r: r["rtt_from_host"]["rtt_us"].update(p50=300.0001))
        self.assertIn("none by more than its noise", self.said(repeat))

    def test_a_figure_is_lost(self):
        repeat = self.repeat(lambda r: r.update(tcp_to_host={"error": "stalled"}))
        self.assertIn("tcp_to_host_mbps: 480.0, then None", self.said(repeat))

    def test_beyond_noise(self):
        repeat = self.repeat(lambda r: r["tcp_to_host"].update(mbps=500.0))
        self.assertIn("tcp_to_host_mbps: 480.0, then 500.0", self.said(repeat))

    def test_nothing_to_compare(self):
        repeat = bench.assemble([(boot(), [raw()]), (boot(True), [])], True)["repeat"]
        self.assertFalse(repeat["identical"])
        self.assertIn("nothing is known", self.said(repeat))


class Table(unittest.TestCase):
    def test_ratios(self):
        result = bench.assemble([(boot(), [raw("f_ncm", 1500.0), raw()])], True)
        with contextlib.redirect_stdout(io.StringIO()) as out:
            show.table(result, result["rows"])
        lines = out.getvalue().splitlines()
        self.assertIn("high speed, host timer 400 us", lines[0])
        self.assertEqual(lines[1].split(), ["f_ncm", "latency", "ratio"])
        self.assertEqual(lines[2].split()[-3:], ["1500", "300", "0.20"])


if __name__ == "__main__":
    unittest.main()
