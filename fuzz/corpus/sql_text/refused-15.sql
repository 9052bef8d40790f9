SELECT load_extension('evil', 'entry')
