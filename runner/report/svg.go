package report

import (
	"fmt"
	"html"
	"math"
	"strings"
)

// The figure's size and margins, in pixels.
const (
	svgWidth, svgHeight                = 560, 300
	svgLeft, svgRight, svgTop, svgBase = 52, 12, 30, 34
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
	if !(v.y0 < v.y1) {
		v.y0, v.y1 = min(v.y0, 0)-.5, v.y0+.5
	}
	if math.IsInf(v.y0, 0) || math.IsInf(v.y1, 0) {
		v.y0, v.y1 = 0, 1
	}
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

func (v *view) px(x float64) float64 {
	return svgLeft + (x-v.x0)/(v.x1-v.x0)*(svgWidth-svgLeft-svgRight)
}

func (v *view) py(y float64) float64 {
	return svgHeight - svgBase - (y-v.y0)/(v.y1-v.y0)*(svgHeight-svgTop-svgBase)
}

func (f *Figure) svg() string {
	var b strings.Builder
	v := f.view()
	fmt.Fprintf(&b, "<svg viewBox=\"0 0 %d %d\" role=\"img\" aria-label=\"%s\">\n", svgWidth, svgHeight,
		html.EscapeString(f.Caption))
	for _, y := range steps(v.y0, v.y1) {
		at := v.py(y)
		fmt.Fprintf(&b, "<line class=\"grid\" x1=\"%d\" x2=\"%d\" y1=\"%.1f\" y2=\"%.1f\"/>"+
			"<text x=\"%d\" y=\"%.1f\" text-anchor=\"end\">%.4g</text>\n", svgLeft, svgWidth-svgRight, at, at,
			svgLeft-6, at+4, y)
	}
	for _, x := range steps(v.x0, v.x1) {
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

// steps are four to nine round numbers between two.
func steps(lo, hi float64) (list []float64) {
	step := math.Pow(10, math.Floor(math.Log10((hi-lo)/4)))
	for _, k := range []float64{5, 2} {
		if (hi-lo)/(k*step) >= 4 {
			step *= k
			break
		}
	}
	for i := math.Ceil(lo / step); i*step <= hi+step/1e6; i++ {
		list = append(list, i*step+0) // never −0
	}
	return list
}
