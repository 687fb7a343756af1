# A text becomes one C string, a line of it a line of that.
s/[\\"]/\\&/g
s/.*/"&\\n"/
