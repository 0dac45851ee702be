print("store-inspect")
