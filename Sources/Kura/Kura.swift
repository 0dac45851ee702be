// Kura
