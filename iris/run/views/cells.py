"""x"""
def table_cells(text): return []
