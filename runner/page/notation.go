package page

import "fmt"

// N writes a number of seeds or samples behind a name: "n=2".
func N(n int) string { return fmt.Sprintf("n=%d", n) }

// Factor writes how many times a figure is as large as another one: "×1.3".
func Factor(x float64) string { return fmt.Sprintf("×%.3g", x) }
