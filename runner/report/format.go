package report

import (
	"fmt"
	"math"
	"strings"

	"drolab/dro"
	"drolab/runner/measure"
	"drolab/runner/page"
)

// style returns the style in which values of a measure are written.
func style(measured string) page.Style {
	m, _ := measure.FindMeasure(measured)
	return page.TableStyle(m.Scale)
}

// Text formats the mean difference with its sign and, if there is one, half of its interval.
func (d *Difference) Text(measured string) string {
	m, _ := measure.FindMeasure(measured)
	of := page.Digits(3)
	if m.Scale == dro.Percent {
		of = page.Points()
	}
	return of.Signed().With(d.Mean, d.Half)
}

// ratio formats a difference of logarithms as a ratio, with its interval if there is one.
func ratio(d *Difference) string {
	if !d.Mean.Applies() {
		return page.None
	}
	mean, half := d.Mean.Float(), d.Half.Float()
	text := fmt.Sprintf("×%.2f", math.Exp(mean))
	if d.Half.Applies() {
		text += fmt.Sprintf(" [%.2f, %.2f]", math.Exp(mean-half), math.Exp(mean+half))
	}
	return text
}

func probability(p measure.Number) string {
	switch {
	case !p.Applies():
		return page.None
	case p.Float() < 1e-4:
		return "< 0.0001"
	}
	return fmt.Sprintf("%.2g", p.Float())
}

// detectable formats the least difference that the test finds, on the measure's own scale.
func (c *Finding) detectable() string {
	m, _ := measure.FindMeasure(c.Measure)
	switch x := c.Detectable; {
	case !x.Applies():
		return page.None
	case c.Measure == "":
		return fmt.Sprintf("×%.2f", math.Exp(x.Float()))
	case m.Scale == dro.Percent:
		return page.Points().Text(x)
	default:
		return page.Digits(2).Text(x)
	}
}

func titleOf(measured string) string {
	m, _ := measure.FindMeasure(measured)
	return m.Title
}

func headOf(measured string) string {
	m, _ := measure.FindMeasure(measured)
	return m.Head()
}

// inWords joins the parts of a list in a sentence.
func inWords(list []string) string {
	last := len(list) - 1
	if last < 1 {
		return strings.Join(list, "")
	}
	return strings.Join(list[:last], ", ") + " and " + list[last]
}

// seedsText names seeds: "seeds 1 to 4 and 7".
func seedsText(seeds []uint64) string {
	var parts []string
	for i := 0; i < len(seeds); {
		next := i + 1
		for next < len(seeds) && seeds[next] == seeds[next-1]+1 {
			next++
		}
		if next-i > 2 {
			parts = append(parts, fmt.Sprintf("%d to %d", seeds[i], seeds[next-1]))
		} else {
			next = i + 1
			parts = append(parts, fmt.Sprint(seeds[i]))
		}
		i = next
	}
	switch {
	case len(parts) == 0:
		return "no seed"
	case len(seeds) == 1:
		return "seed " + parts[0]
	}
	return "seeds " + inWords(parts)
}
