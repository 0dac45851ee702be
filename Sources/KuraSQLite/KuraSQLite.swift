// KuraSQLite
