// Filled by the commits to come.
