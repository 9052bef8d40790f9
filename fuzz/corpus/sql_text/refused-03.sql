DETACH main
