SELECT * FROM pragma_module_list
