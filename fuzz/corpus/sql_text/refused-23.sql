SELECT rtreecheck('slice')
