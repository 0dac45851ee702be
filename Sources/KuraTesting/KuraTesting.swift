// KuraTesting
