package plot

import (
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"drolab/tui/cell"
)

var update = flag.Bool("update", false, "rewrite testdata/*.golden")

// golden compares text with testdata/name.golden.
func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name+".golden")
	if *update {
		if err := os.MkdirAll("testdata", 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatalf("%v (run go test -update and look at the result)", err)
	}
	if got != string(want) {
		t.Errorf("%s differs; got:\n%s\nwant:\n%s", path, got, want)
	}
}

// styled returns the text of a frame, and below it the role of each cell as a letter, '.' for
// plain.
func styled(f *Frame) string {
	var b strings.Builder
	b.WriteString(f.String())
	for y := range f.H {
		for _, c := range f.Row(y) {
			b.WriteByte(".ADFSRM!WBbkHh+-"[c.Style.Role])
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// training returns the series of a made-up run: a noisy loss with a spike, a divergence and a
// resume, its smoothed line, and a sparse test loss.
func training() (raw, smooth, test *Series) {
	r := rand.New(rand.NewPCG(1, 2))
	raw, smooth, test = new(Series), new(Series), new(Series)
	ema := EMA{Beta: 0.97}
	add := func(i int, y float64) {
		raw.Append(float64(i), y)
		smooth.Append(float64(i), ema.Push(y, 1))
	}
	for i := range 6000 {
		y := 2.3*math.Exp(-float64(i)/2000) + 0.2 + 0.05*r.NormFloat64()
		switch {
		case i == 3000:
			y = 4
		case i >= 4500 && i < 4700:
			y = math.NaN()
		}
		if i == 5200 {
			raw.interrupt()
			smooth.interrupt()
		}
		add(i, y)
	}
	for e := range 22 {
		test.Append(float64(e)*273, 2.4*math.Exp(-float64(e)/6)+0.7)
	}
	return raw, smooth, test
}

func trainingChart(cs Charset) *Chart {
	raw, smooth, test := training()
	c := &Chart{
		X:       GrowX(10000, 6000),
		Charset: cs,
		Lines: []Line{
			{Name: "loss", Seeds: []*Series{smooth}},
			{Name: "test loss", Seeds: []*Series{test}, Number: 1},
			{Seeds: []*Series{raw}, Faint: true},
		},
		Refs:    []RefLine{{"λ̄", 2.5}, {"基準", 0.2}},
		Markers: []Marker{{5200, 'R'}},
	}
	c.Y = c.FitY()
	return c
}

func TestGoldenChart(t *testing.T) {
	for name, cs := range map[string]Charset{"lines": Lines, "braille": Braille, "ascii": ASCII} {
		t.Run(name, func(t *testing.T) {
			f, report := trainingChart(cs).Draw(100, 24)
			golden(t, "chart-"+name, styled(f)+fmt.Sprintf("%+v\n", report))
		})
	}
}

func TestGoldenLog(t *testing.T) {
	s := new(Series)
	for i := range 300 {
		s.Append(float64(i), math.Pow(10, 3-float64(i)/40))
	}
	s.Append(300, 0)
	s.Append(310, -1)
	s.Append(340, 1e-3)
	s.Append(400, 1e-4)
	for _, k := range []ScaleKind{Log10, Symlog} {
		c := Chart{X: Range{0, 400}, YScale: Scale{Kind: k},
			Lines: []Line{{Name: "gap", Seeds: []*Series{s}}}}
		c.Y = c.FitY()
		f, report := c.Draw(60, 16)
		golden(t, fmt.Sprintf("scale-%d", k), styled(f)+fmt.Sprintf("%+v\n", report))
	}
}

func bandChart(cs Charset) *Chart {
	var seeds []*Series
	for k := range 4 {
		r := rand.New(rand.NewPCG(uint64(k), 7))
		s := new(Series)
		for e := range 40 - 10*(k/3) {
			s.Append(float64(e), math.Exp(-float64(e)/12)+0.1*r.NormFloat64()+0.5)
		}
		seeds = append(seeds, s)
	}
	band := Line{Name: "SFK", Seeds: seeds, HalfWidth: student, Number: 2}
	c := &Chart{X: Range{0, 40}, Charset: cs, Lines: []Line{band}}
	c.Y = c.FitY()
	return c
}

func TestGoldenBand(t *testing.T) {
	for name, cs := range map[string]Charset{"lines": Lines, "braille": Braille, "ascii": ASCII} {
		t.Run(name, func(t *testing.T) {
			c := bandChart(cs)
			f, _ := c.Draw(70, 18)
			golden(t, "band-"+name, styled(f))
		})
	}
}

func classBars(cs Charset) *Bars {
	b := &Bars{Percent: true, Charset: cs, Bars: []Bar{
		{Row{Label: "airplane", Cells: []string{"4020", "76.5–78.9"}}, 0.7764, 0.76},
		{Row{Label: "automobile", Cells: []string{"2715", "84.8–87.4"}}, 0.8619, 0.8619},
		{Row{Label: "cat", Worst: true, Cells: []string{"1425", "44.5–49.6"}}, 0.4705, 0.4936},
		{Row{Label: "日本語の猫", Few: true, Cells: []string{"5", "56.6–100.0"}}, 1, math.NaN()},
		{Row{Label: "broken"}, math.NaN(), 0.5},
		{Row{Label: "none", Cells: []string{"0"}}, 0, 0.1},
	}}
	return b
}

func TestGoldenBars(t *testing.T) {
	for name, cs := range map[string]Charset{"lines": Lines, "ascii": ASCII} {
		t.Run(name, func(t *testing.T) {
			b := classBars(cs)
			b.Heads = []string{"class", "%", "change", "n test", "95 %"}
			golden(t, "bars-"+name, styled(b.Draw(70, 7)))
		})
	}
}

func spiral() *Path {
	p := new(Path)
	for i := range 500 {
		a := float64(i) / 40
		p.Append(5+4*math.Exp(-a/5)*math.Cos(a), -2+6*math.Exp(-a/5)*math.Sin(a))
	}
	return p
}

func TestGoldenPhase(t *testing.T) {
	for name, cs := range map[string]Charset{"lines": Lines, "braille": Braille, "ascii": ASCII} {
		t.Run(name, func(t *testing.T) {
			ph := Phase{
				Trails: []Trail{{Path: spiral()}}, X: Range{0, 12}, Y: Range{-12, 12}, Charset: cs,
				BoxX: Range{0.1, 10}, BoxY: Range{-10, 10},
			}
			golden(t, "phase-"+name, styled(ph.Draw(60, 18)))
		})
	}
}

// TestMarks: the lines of ASCII charts are drawn with the marks of the tables.
func TestMarks(t *testing.T) {
	c := &Chart{Charset: ASCII}
	for i := range cell.Marks {
		c.Lines = append(c.Lines, Line{Name: "a run", Number: uint8(i)})
	}
	for i := range c.Lines {
		if want, got := cell.Mark(i, true), c.override(uint8(i), 0); got != want {
			t.Errorf("line %d is drawn with %q, its mark is %q", i, got, want)
		}
	}
}
