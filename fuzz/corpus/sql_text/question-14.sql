SELECT low, n FROM histogram('slice', 'dur', -20, NULL)
