package publish

import (
	"fmt"
	"html"
	"io"
	"math"
	"strings"

	"drolab/runner"
	"drolab/runner/axis"
)

// panel is a chart of curves over epochs.
type panel struct {
	title  string
	log    bool
	curves []curve
}

type curve struct {
	name string
	x, y []float64
}

// mostPoints is the most that a curve is drawn with: more are averaged.
const mostPoints = 400

func (c *curve) add(x float64, n runner.Number) {
	if v := n.Float(); n.Applies() && !math.IsNaN(v) && !math.IsInf(v, 0) {
		c.x, c.y = append(c.x, x), append(c.y, v)
	}
}

// thin averages neighbours until there are mostPoints at most.
func (c *curve) thin() {
	per := (len(c.x) + mostPoints - 1) / mostPoints
	if per < 2 {
		return
	}
	n := 0
	for from := 0; from < len(c.x); from += per {
		to := min(from+per, len(c.x))
		var x, y float64
		for i := from; i < to; i++ {
			x, y = x+c.x[i]/float64(to-from), y+c.y[i]/float64(to-from)
		}
		c.x[n], c.y[n] = x, y
		n++
	}
	c.x, c.y = c.x[:n], c.y[:n]
}

// panels are the figure of a run: losses, the worst case, accuracies, dual variables.
func (r *Run) panels() ([]panel, error) {
	steps, evals, err := r.events()
	if err != nil {
		return nil, err
	}
	ofEvals := func(names ...string) (list []curve) {
		for _, name := range names {
			c := curve{name: name}
			if m, ok := runner.FindMeasure(name); ok {
				c.name = m.Title
			}
			for _, e := range evals {
				c.add(e.Epoch, e.Of(name))
			}
			list = append(list, c)
		}
		return list
	}
	ofSteps := func(names ...string) (list []curve) {
		for _, name := range names {
			c := curve{name: name}
			for _, s := range steps {
				c.add(s.Epoch, s.Of(name))
			}
			list = append(list, c)
		}
		return list
	}
	all := []panel{
		{title: "loss", log: true, curves: append(ofSteps("loss"), ofEvals("train_loss", "test_loss")...)},
		{title: "robust risk", curves: ofEvals("robust_risk", "train_robust_risk", "val_robust_risk")},
		{title: "accuracy on the test split", curves: ofEvals("test_accuracy", r.Meta.Fit("worst_class_accuracy"))},
		{title: "dual variables", curves: ofSteps("lambda", "eta")},
		{title: "dual gap", log: true, curves: ofEvals("dual_gap")},
	}
	var list []panel
	for _, p := range all {
		var curves []curve
		for _, c := range p.curves {
			if c.thin(); len(c.x) > 0 {
				curves = append(curves, c)
			}
		}
		if p.curves = curves; len(curves) > 0 {
			list = append(list, p.positive())
		}
	}
	return list, nil
}

// positive makes a chart with logarithmic axis linear where a value has no logarithm.
func (p panel) positive() panel {
	for _, c := range p.curves {
		for _, y := range c.y {
			p.log = p.log && y > 0
		}
	}
	return p
}

// bounds are the ends of the axes, which differ for any curves.
func (p *panel) bounds() (x0, x1, y0, y1 float64) {
	x0, x1, y0, y1 = math.Inf(1), math.Inf(-1), math.Inf(1), math.Inf(-1)
	for _, c := range p.curves {
		for i := range c.x {
			x0, x1 = min(x0, c.x[i]), max(x1, c.x[i])
			y0, y1 = min(y0, p.height(c.y[i])), max(y1, p.height(c.y[i]))
		}
	}
	x0, x1 = axis.Usable(x0, x1)
	y0, y1 = axis.Usable(y0, y1)
	pad := .05 * (y1 - y0)
	return x0, x1, y0 - pad, y1 + pad
}

func (p *panel) height(y float64) float64 {
	if p.log {
		return math.Log10(y)
	}
	return y
}

// mostTicks is the most that an axis has room for.
const mostTicks = 6

// colours tell curves apart, also for most of those who see few colours (Okabe and Ito).
func colours() []string { return []string{"#0072B2", "#D55E00", "#009E73", "#CC79A7"} }

// writeSVG draws the panels in two columns.
func writeSVG(w io.Writer, r *Run) error {
	list, err := r.panels()
	if err != nil {
		return err
	}
	const width, height, across = 420, 280, 2
	down := (len(list) + across - 1) / across
	var b strings.Builder
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" width="%d" height="%d" `+
		`font-family="sans-serif" font-size="11">`+"\n<rect width=\"100%%\" height=\"100%%\" fill=\"white\"/>\n",
		across*width, max(1, down)*height+24, across*width, max(1, down)*height+24)
	fmt.Fprintf(&b, "<text x=\"10\" y=\"16\" font-size=\"12\">%s</text>\n", html.EscapeString(r.Meta.ID))
	for i := range list {
		fmt.Fprintf(&b, "<g transform=\"translate(%d,%d)\">\n", i%across*width, i/across*height+24)
		list[i].svg(&b, width, height)
		b.WriteString("</g>\n")
	}
	b.WriteString("</svg>\n")
	_, err = io.WriteString(w, b.String())
	return err
}

func (p *panel) svg(b *strings.Builder, width, height float64) {
	const left, right, top, bottom = 56, 12, 24, 36
	x0, x1, y0, y1 := p.bounds()
	px := func(x float64) float64 { return axis.Place(x, x0, x1, left, width-right) }
	py := func(y float64) float64 { return axis.Place(y, y0, y1, height-bottom, top) }
	across, _ := axis.Ticks(x0, x1, mostTicks)
	up, _ := axis.Ticks(y0, y1, mostTicks)
	fmt.Fprintf(b, "<text x=\"%d\" y=\"16\" font-weight=\"bold\">%s</text>\n", left, html.EscapeString(p.title))
	for _, t := range across {
		fmt.Fprintf(b, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"middle\">%.4g</text>\n", px(t),
			height-bottom+14, t)
	}
	for _, t := range up {
		label := t
		if p.log {
			label = math.Pow(10, t)
		}
		fmt.Fprintf(b, "<line x1=\"%d\" x2=\"%.1f\" y1=\"%.1f\" y2=\"%.1f\" stroke=\"#ddd\"/>"+
			"<text x=\"%d\" y=\"%.1f\" text-anchor=\"end\">%.3g</text>\n",
			left, width-right, py(t), py(t), left-4, py(t)+4, label)
	}
	fmt.Fprintf(b, "<rect x=\"%d\" y=\"%d\" width=\"%.1f\" height=\"%.1f\" fill=\"none\" stroke=\"#888\"/>\n",
		left, top, width-left-right, height-top-bottom)
	for i, c := range p.curves {
		colour := colours()[i%len(colours())]
		var points strings.Builder
		for k := range c.x {
			fmt.Fprintf(&points, "%.1f,%.1f ", px(c.x[k]), py(p.height(c.y[k])))
		}
		fmt.Fprintf(b, "<polyline fill=\"none\" stroke=\"%s\" stroke-width=\"1.4\" points=\"%s\"/>\n", colour,
			strings.TrimSpace(points.String()))
		if len(c.x) == 1 {
			fmt.Fprintf(b, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"3\" fill=\"%s\"/>\n", px(c.x[0]),
				py(p.height(c.y[0])), colour)
		}
		// The name may lie on a curve: white around it keeps it legible.
		fmt.Fprintf(b, "<text x=\"%.1f\" y=\"%d\" text-anchor=\"end\" fill=\"%s\" stroke=\"white\" "+
			"stroke-width=\"3\" paint-order=\"stroke\">%s</text>\n", width-right-6, top+14+14*i, colour,
			html.EscapeString(c.name))
	}
	fmt.Fprintf(b, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"middle\">epoch</text>\n", (left+width-right)/2,
		height-6)
}

// writePGF writes a tikzpicture a panel.
func writePGF(w io.Writer, r *Run) error {
	list, err := r.panels()
	if err != nil {
		return err
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%% %s; \\usepackage{pgfplots}\n", r.Meta.ID)
	for _, p := range list {
		options := "title={" + Escape(p.title) + "}, xlabel={epoch}, legend pos=outer north east"
		if p.log {
			options += ", ymode=log"
		}
		fmt.Fprintf(&b, "\\begin{tikzpicture}\n\\begin{axis}[%s]\n", options)
		for _, c := range p.curves {
			b.WriteString("\\addplot+[mark=none] coordinates {")
			for i := range c.x {
				fmt.Fprintf(&b, " (%.6g,%.6g)", c.x[i], c.y[i])
			}
			fmt.Fprintf(&b, " };\n\\addlegendentry{%s}\n", Escape(c.name))
		}
		b.WriteString("\\end{axis}\n\\end{tikzpicture}\n")
	}
	_, err = io.WriteString(w, b.String())
	return err
}
