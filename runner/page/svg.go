package page

import (
	"fmt"
	"math"
	"strings"
)

// layout has the size and margins of a drawing, in pixels.
type layout struct {
	width, height            int
	left, right, top, bottom int // margins
	ticks                    int // the greatest number of ticks of an axis
	alone                    bool
}

func inlineLayout() layout { return layout{560, 300, 52, 12, 30, 34, 9, false} }
func fileLayout() layout   { return layout{420, 280, 56, 12, 24, 36, 6, true} }

// drawing maps values to pixels.
type drawing struct {
	layout
	strings.Builder
	figure         *Figure
	log            bool
	x0, x1, y0, y1 float64
}

func (f *Figure) drawing(l layout) *drawing {
	none := math.Inf(1)
	d := &drawing{layout: l, figure: f, log: f.isLogarithmic(),
		x0: none, x1: -none, y0: none, y1: -none}
	if !l.alone {
		d.x0, d.x1 = 0, 1
	}
	for _, c := range f.Curves {
		for _, p := range c.Points {
			d.x0, d.x1 = min(d.x0, p.X), max(d.x1, p.X)
			for _, y := range p.ends() {
				if y = d.level(y); finite(y) {
					d.y0, d.y1 = min(d.y0, y), max(d.y1, y)
				}
			}
		}
	}
	d.x0, d.x1 = UsableAxis(d.x0, d.x1)
	d.y0, d.y1 = UsableAxis(d.y0, d.y1)
	room := .04 * (d.y1 - d.y0)
	d.y0, d.y1 = d.y0-room, d.y1+room
	return d
}

func finite(v float64) bool { return !math.IsNaN(v) && !math.IsInf(v, 0) }

// level returns a value, or its logarithm if the axis is logarithmic.
func (d *drawing) level(y float64) float64 {
	if d.log {
		return math.Log10(y)
	}
	return y
}

func (d *drawing) point(x, y float64) string {
	return fmt.Sprintf("%.1f,%.1f", d.pixelX(x), d.pixelY(d.level(y)))
}

func (d *drawing) pixelX(x float64) float64 {
	return scale(x, d.x0, d.x1, float64(d.left), float64(d.width-d.right))
}

func (d *drawing) pixelY(level float64) float64 {
	return scale(level, d.y0, d.y1, float64(d.height-d.bottom), float64(d.top))
}

// inline draws the figure for a page of HTML, whose style sheet has the colours.
func (f *Figure) inline() string {
	l := inlineLayout()
	_, lines := f.legend(l)
	l.top, l.height = l.top+lines*legendLine, l.height+lines*legendLine
	d := f.drawing(l)
	fmt.Fprintf(d, "<svg viewBox=\"0 0 %d %d\" role=\"img\" aria-label=\"%s\">\n",
		d.width, d.height, escapeHTML(f.Caption))
	d.draw()
	d.WriteString("</svg>\n")
	return d.String()
}

// SVG draws figures in two columns, as a file of its own.
func SVG(title string, figures []*Figure) string {
	const columns, head = 2, 24
	l := fileLayout()
	height := max(1, (len(figures)+columns-1)/columns)*l.height + head
	var b strings.Builder
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" `+
		`width="%[1]d" height="%[2]d" font-family="sans-serif" font-size="11">`+
		"\n<rect width=\"100%%\" height=\"100%%\" fill=\"white\"/>\n"+
		"<text x=\"10\" y=\"16\" font-size=\"12\">%s</text>\n",
		columns*l.width, height, escapeHTML(title))
	for i, f := range figures {
		d := f.drawing(l)
		fmt.Fprintf(d, "<g transform=\"translate(%d,%d)\">\n"+
			"<text x=\"%d\" y=\"16\" font-weight=\"bold\">%s</text>\n", i%columns*l.width,
			i/columns*l.height+head, l.left, escapeHTML(f.Title))
		d.draw()
		fmt.Fprintf(d, "<text x=\"%d\" y=\"%d\" text-anchor=\"middle\">epoch</text>\n</g>\n",
			(l.left+l.width-l.right)/2, l.height-6)
		b.WriteString(d.String())
	}
	b.WriteString("</svg>\n")
	return b.String()
}

// legendLine is the height of a line of names above the axes, in pixels.
const legendLine = 17

// legend returns for each curve where its name begins: the pixel from the left, and the line. more
// is the number of lines after the first, so many that every name is within the drawing.
func (f *Figure) legend(l layout) (places [][2]int, more int) {
	const pen, gap, letter = 27, 16, 7
	x := l.left
	for i := range f.Curves {
		w := pen + letter*len([]rune(f.Curves[i].Name))
		if x > l.left && x+w > l.width-l.right {
			x, more = l.left, more+1
		}
		places = append(places, [2]int{x, more})
		x += w + gap
	}
	return places, more
}

func (d *drawing) draw() {
	d.axes()
	places, _ := d.figure.legend(d.layout)
	for i := range d.figure.Curves {
		c, look := &d.figure.Curves[i], d.figure.Series(i)
		d.curve(c, look)
		if d.alone { // white around a name keeps it legible on a curve
			fmt.Fprintf(d, "<text x=\"%d\" y=\"%d\" text-anchor=\"end\" fill=\"%s\" "+
				"stroke=\"white\" stroke-width=\"3\" paint-order=\"stroke\">%s</text>\n",
				d.width-d.right-6, d.top+14+14*i, d.colour(look), escapeHTML(c.Name))
			continue
		}
		x, y := places[i][0], 14+legendLine*places[i][1]
		fmt.Fprintf(d, "<line%s x1=\"%d\" x2=\"%d\" y1=\"%d\" y2=\"%[4]d\"/>"+
			"<text x=\"%[5]d\" y=\"%d\">%s</text>\n", d.pen(look), x, x+22, y, x+27, y+4,
			escapeHTML(c.Name))
	}
}

// axes draws the grid with its numbers, and the frame.
func (d *drawing) axes() {
	up, _ := Ticks(d.y0, d.y1, d.ticks)
	right, base := d.width-d.right, d.height-d.bottom
	grid, frame := ` class="grid"`, `<path class="axis" d="M%d %d V%d H%d"/>`
	if d.alone {
		grid = ` stroke="#ddd"`
		frame = `<path fill="none" stroke="#888" d="M%d %d V%d H%d V%[2]d Z"/>`
	}
	for _, y := range up {
		at, value := d.pixelY(y), y
		if d.log {
			value = math.Pow(10, y)
		}
		fmt.Fprintf(d, "<line%s x1=\"%d\" x2=\"%d\" y1=\"%.1f\" y2=\"%.1[4]f\"/>"+
			"<text x=\"%d\" y=\"%.1f\" text-anchor=\"end\">%s</text>\n",
			grid, d.left, right, at, d.left-6, at+4, Digits(3).Float(value, math.NaN()))
	}
	across, _ := Ticks(d.x0, d.x1, d.ticks)
	for _, x := range across {
		fmt.Fprintf(d, "<text x=\"%.1f\" y=\"%d\" text-anchor=\"middle\">%.4g</text>\n",
			d.pixelX(x), base+15, x)
	}
	fmt.Fprintf(d, frame+"\n", d.left, d.top, base, right)
}

// curve draws the band and the line of a curve in the i-th look, and a dot where there is one
// point.
func (d *drawing) curve(c *Curve, i int) {
	var line, upper, lower []string
	for _, p := range c.Points {
		if !finite(d.level(p.Y)) {
			continue
		}
		line = append(line, d.point(p.X, p.Y))
		if !math.IsNaN(p.Half) {
			upper = append(upper, d.point(p.X, p.Y+p.Half))
			lower = append([]string{d.point(p.X, p.Y-p.Half)}, lower...)
		}
	}
	if len(upper) > 1 {
		fmt.Fprintf(d, "<polygon class=\"band\" fill=\"%s\" points=\"%s %s\"/>\n", d.colour(i),
			strings.Join(upper, " "), strings.Join(lower, " "))
	}
	fmt.Fprintf(d, "<polyline%s points=\"%s\"/>\n", d.pen(i), strings.Join(line, " "))
	if len(line) == 1 {
		x, y, _ := strings.Cut(line[0], ",")
		fmt.Fprintf(d, "<circle cx=\"%s\" cy=\"%s\" r=\"3\" fill=\"%s\"/>\n", x, y, d.colour(i))
	}
}

// colour returns the i-th colour: a variable of the page's style or, in a file, a colour that most
// people who see few colours can tell from the others (Okabe and Ito).
func (d *drawing) colour(i int) string {
	if own := []string{"#0072B2", "#D55E00", "#009E73", "#CC79A7"}; d.alone {
		return own[i%len(own)]
	}
	return fmt.Sprintf("var(--s%d)", i%8)
}

// pen returns the attributes of a line. Dashes tell lines apart where colours do not.
func (d *drawing) pen(i int) string {
	if d.alone {
		return ` fill="none" stroke-width="1.4" stroke="` + d.colour(i) + `"`
	}
	pen := ` class="curve" stroke="` + d.colour(i) + `"`
	dashes := []string{"", "7 3", "2 3", "8 3 2 3", "12 4", "4 2"}
	if i%len(dashes) > 0 {
		pen += ` stroke-dasharray="` + dashes[i%len(dashes)] + `"`
	}
	return pen
}
