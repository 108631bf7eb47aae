"""Near-duplicates: found by hashes and local features, verified by their details, and put aside."""

import os

# Each worker multiplies small matrices; threads of BLAS in each would only wait for one another.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
