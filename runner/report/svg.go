package report

import (
	"fmt"
	"html"
	"math"
	"strings"

	"drolab/runner/axis"
)

// The figure's size and margins, in pixels.
const (
	svgWidth, svgHeight                = 560, 300
	svgLeft, svgRight, svgTop, svgBase = 52, 12, 30, 34
	mostTicks                          = 9 // that an axis has room for
)

// dashes tell curves apart where colours do not.
func dashes() []string { return []string{"", "7 3", "2 3", "8 3 2 3", "12 4", "4 2"} }

// view maps values to pixels.
type view struct {
	x0, x1, y0, y1 float64
}

func (f *Figure) view() view {
	v := view{x0: 0, x1: 1, y0: math.Inf(1), y1: math.Inf(-1)}
	for i := range f.Curves {
		for _, b := range f.Curves[i].Bands() {
			v.x1 = max(v.x1, b.X)
			for _, y := range b.edges() {
				if !math.IsNaN(y) && !math.IsInf(y, 0) {
					v.y0, v.y1 = min(v.y0, y), max(v.y1, y)
				}
			}
		}
	}
	v.x0, v.x1 = axis.Usable(v.x0, v.x1)
	v.y0, v.y1 = axis.Usable(v.y0, v.y1)
	room := .04 * (v.y1 - v.y0)
	v.y0, v.y1 = v.y0-room, v.y1+room
	return v
}

// edges are the values that a band reaches to: the mean alone without an interval.
func (b *Band) edges() []float64 {
	if math.IsNaN(b.Half) {
		return []float64{b.Mean}
	}
	return []float64{b.Mean - b.Half, b.Mean, b.Mean + b.Half}
}

func (v *view) px(x float64) float64 { return axis.Place(x, v.x0, v.x1, svgLeft, svgWidth-svgRight) }

func (v *view) py(y float64) float64 { return axis.Place(y, v.y0, v.y1, svgHeight-svgBase, svgTop) }

func (f *Figure) svg() string {
	var b strings.Builder
	v := f.view()
	fmt.Fprintf(&b, "<svg viewBox=\"0 0 %d %d\" role=\"img\" aria-label=\"%s\">\n", svgWidth, svgHeight,
		html.EscapeString(f.Caption))
	up, _ := axis.Ticks(v.y0, v.y1, mostTicks)
	for _, y := range up {
		at := v.py(y)
		fmt.Fprintf(&b, "<line class=\"grid\" x1=\"%d\" x2=\"%d\" y1=\"%.1f\" y2=\"%.1f\"/>"+
			"<text x=\"%d\" y=\"%.1f\" text-anchor=\"end\">%.4g</text>\n", svgLeft, svgWidth-svgRight, at, at,
			svgLeft-6, at+4, y)
	}
	across, _ := axis.Ticks(v.x0, v.x1, mostTicks)
	for _, x := range across {
		fmt.Fprintf(&b, "<text x=\"%.1f\" y=\"%d\" text-anchor=\"middle\">%.4g</text>\n", v.px(x),
			svgHeight-svgBase+16, x)
	}
	fmt.Fprintf(&b, "<path class=\"axis\" d=\"M%d %d V%d H%d\"/>\n", svgLeft, svgTop, svgHeight-svgBase,
		svgWidth-svgRight)
	key := float64(svgLeft)
	for i := range f.Curves {
		f.Curves[i].draw(&b, &v, i)
		key += f.Curves[i].key(&b, key, i)
	}
	b.WriteString("</svg>\n")
	return b.String()
}

// draw draws the band and the line of the i-th curve.
func (c *Curve) draw(b *strings.Builder, v *view, i int) {
	var line, upper, lower []string
	for _, p := range c.Bands() {
		line = append(line, fmt.Sprintf("%.1f,%.1f", v.px(p.X), v.py(p.Mean)))
		if !math.IsNaN(p.Half) {
			upper = append(upper, fmt.Sprintf("%.1f,%.1f", v.px(p.X), v.py(p.Mean+p.Half)))
			lower = append([]string{fmt.Sprintf("%.1f,%.1f", v.px(p.X), v.py(p.Mean-p.Half))}, lower...)
		}
	}
	if len(upper) > 1 {
		fmt.Fprintf(b, "<polygon class=\"band\" fill=\"var(--s%d)\" points=\"%s %s\"/>\n", i%8,
			strings.Join(upper, " "), strings.Join(lower, " "))
	}
	fmt.Fprintf(b, "<polyline class=\"curve\" stroke=\"var(--s%d)\"%s points=\"%s\"/>\n", i%8, dash(i),
		strings.Join(line, " "))
}

// key draws which curve is which, and returns the width of that.
func (c *Curve) key(b *strings.Builder, x float64, i int) float64 {
	fmt.Fprintf(b, "<line class=\"curve\" stroke=\"var(--s%d)\"%s x1=\"%.0f\" x2=\"%.0f\" y1=\"14\" y2=\"14\"/>"+
		"<text x=\"%.0f\" y=\"18\">%s</text>\n", i%8, dash(i), x, x+22, x+27, html.EscapeString(c.Name))
	const letter = 7
	return 27 + 16 + letter*float64(len([]rune(c.Name)))
}

func dash(i int) string {
	if d := dashes()[i%len(dashes())]; d != "" {
		return ` stroke-dasharray="` + d + `"`
	}
	return ""
}
