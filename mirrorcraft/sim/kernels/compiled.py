"""How every kernel is compiled: one decorator, so that all of them are compiled alike."""

from numba import njit

# error_model="numpy" leaves out the checks for division by zero; no kernel divides by what can be zero, and without
# the checks the code of the whole engine is a third smaller and compiles as much faster.
kernel = njit(cache=True, error_model="numpy")
