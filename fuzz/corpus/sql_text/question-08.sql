SELECT depth, name, calls, total_share FROM call_tree(NULL, NULL, NULL, 0.01)
