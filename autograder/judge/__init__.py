"""The trusted side: sends inputs to the worker, gets plain data back, and compares."""
