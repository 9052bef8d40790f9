SELECT load_extension('evil')
