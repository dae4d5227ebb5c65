"""How kernels are compiled: two decorators, so that all of them are compiled alike."""

import numpy as np
from numba import njit

# Small numbers that kernels are called with, as the integers that do not make numba compile anew (see ``layout``).
ZERO, ONE, TWO = np.int64(0), np.int64(1), np.int64(2)

# error_model="numpy" leaves out the checks for division by zero; no kernel divides by what can be zero, and without
# the checks the code of the whole engine is a third smaller and compiles as much faster.
kernel = njit(cache=True, error_model="numpy")
# A kernel that only kernels call needs no entry from Python: a tenth less to compile.
inner = njit(  # pyright: ignore[reportCallIssue]
    cache=True, error_model="numpy", no_cpython_wrapper=True, no_cfunc_wrapper=True
)
