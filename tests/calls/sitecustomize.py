"""Read by every Python that starts with this folder on its path: a worker of Spark whose calls are recorded."""

import called_functions

called_functions.record_in_worker()
