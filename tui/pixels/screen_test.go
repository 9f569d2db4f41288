package pixels

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"math/rand/v2"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	tea "charm.land/bubbletea/v2"
	uv "github.com/charmbracelet/ultraviolet"

	"drolab/dro/testsize"
)

// terminal is a made terminal. It reads what is written to it byte by byte, without the code that
// wrote it, and knows which pictures it shows where.
type terminal struct {
	w, h   int
	cells  [][]string          // text
	x, y   int                 // of the cursor
	saved  [2]int              // the cursor as it was saved
	kept   map[int]image.Image // kitty's pictures by number
	part   string              // of a picture that comes in parts
	partID int
	shown  map[[2]int]image.Image // by place
	places map[string][2]int      // kitty's, by picture and placement
}

func newTerminal(w, h int) *terminal {
	t := &terminal{w: w, h: h, kept: map[int]image.Image{}, shown: map[[2]int]image.Image{},
		places: map[string][2]int{}}
	t.erase()
	return t
}

func (t *terminal) erase() {
	t.cells = nil
	for range t.h {
		t.cells = append(t.cells, slices.Repeat([]string{" "}, t.w))
	}
	clear(t.shown)
}

var sequence = regexp.MustCompile(`^(?s:\x1b_G([^;\x1b]*);?([^\x1b]*)\x1b\\|` +
	`\x1b\]1337;File=([^:\x07]*):([^\x07]*)\x07|\x1bP([0-9;]*)q([^\x1b]*)\x1b\\|` +
	`\x1b\[([0-9;:?>]*)([A-Za-z])|\x1b([78]))`)

// write takes in bytes. What it does not know is an error.
func (t *terminal) write(tt *testing.T, s string) {
	tt.Helper()
	for s != "" {
		if s[0] != '\x1b' {
			r, size := utf8.DecodeRuneInString(s)
			s = s[size:]
			switch r {
			case '\n':
				t.x, t.y = 0, t.y+1
			default:
				if t.x >= t.w || t.y >= t.h {
					tt.Fatalf("text at column %d of row %d", t.x, t.y)
				}
				t.cells[t.y][t.x] = string(r)
				t.x++
			}
			continue
		}
		m := sequence.FindStringSubmatch(s)
		if m == nil {
			tt.Fatalf("an unknown sequence: %.60q", s)
		}
		s = s[len(m[0]):]
		switch {
		case strings.HasPrefix(m[0], "\x1b_G"):
			t.kitty(tt, m[1], m[2])
		case m[4] != "":
			t.shown[[2]int{t.x, t.y}] = decoded(tt, m[4])
			t.x, t.y = t.x+9, t.y+9 // wherever the terminal leaves it
		case m[6] != "":
			t.shown[[2]int{t.x, t.y}] = fromSixels(tt, m[6])
			t.y += 3
		case m[9] == "7":
			t.saved = [2]int{t.x, t.y}
		case m[9] == "8":
			t.x, t.y = t.saved[0], t.saved[1]
		case m[8] == "H":
			fmt.Sscanf(m[7], "%d;%d", &t.y, &t.x)
			t.x, t.y = max(0, t.x-1), max(0, t.y-1)
		case m[8] == "J":
			t.erase()
		}
	}
}

func (t *terminal) kitty(tt *testing.T, options, data string) {
	tt.Helper()
	o := map[string]string{}
	for _, option := range strings.Split(options, ",") {
		key, value, _ := strings.Cut(option, "=")
		o[key] = value
	}
	id, _ := strconv.Atoi(o["i"])
	switch o["a"] {
	case "t", "":
		if len(data) > 4096 {
			tt.Errorf("a part of %d bytes", len(data))
		}
		if id != 0 { // the first part
			t.part, t.partID = "", id
		}
		t.part += data
		if o["m"] != "1" {
			t.kept[t.partID] = decoded(tt, t.part)
		}
	case "p":
		if t.kept[id] == nil {
			tt.Errorf("picture %d is put, but was not sent", id)
		}
		place := [2]int{t.x, t.y}
		t.places[o["i"]+" "+o["p"]] = place
		t.shown[place] = t.kept[id]
	case "d":
		for name, place := range t.places {
			if name == o["i"]+" "+o["p"] || o["p"] == "" && strings.HasPrefix(name, o["i"]+" ") {
				delete(t.shown, place)
				delete(t.places, name)
			}
		}
		if o["d"] == "I" {
			delete(t.kept, id)
		}
	default:
		tt.Errorf("an action %q", o["a"])
	}
}

// overwritten drops the pictures on whose cells text was written, as terminals do with those of
// iTerm2 and with sixels.
func (t *terminal) overwritten(cells, lines int) {
	for place := range t.shown {
		for y := range lines {
			for x := range cells {
				if t.cells[place[1]+y][place[0]+x] != mark {
					delete(t.shown, place)
				}
			}
		}
	}
}

// A colour that is set, or chosen; the size; a repeated column of six pixels, or one; and the ends
// of a line of one colour and of a line of all.
var sixelPart = regexp.MustCompile(`^(?:#(\d+)(?:;2;(\d+);(\d+);(\d+))?|"1;1;(\d+);(\d+)|` +
	`!(\d+)([?-~])|([?-~])|(\$)|(-))`)

// fromSixels returns the picture that sixels draw. The blank pixels of a picture have no colour.
func fromSixels(tt *testing.T, s string) image.Image {
	tt.Helper()
	var img *image.RGBA
	palette, colour, x, y := map[string]color.RGBA{}, color.RGBA{}, 0, 0
	for s != "" {
		m := sixelPart.FindStringSubmatch(s)
		if m == nil {
			tt.Fatalf("no sixels: %.40q", s)
		}
		s = s[len(m[0]):]
		number := func(i int) int { n, _ := strconv.Atoi(m[i]); return n }
		switch {
		case m[5] != "":
			img = image.NewRGBA(image.Rect(0, 0, number(5), number(6)))
		case m[2] != "":
			level := func(i int) byte { return byte((number(i)*255 + 50) / 100) }
			palette[m[1]] = color.RGBA{level(2), level(3), level(4), 255}
		case m[1] != "":
			colour = palette[m[1]]
		case m[10] != "":
			x = 0
		case m[11] != "":
			x, y = 0, y+6
		default:
			for range max(1, number(7)) {
				for bit := range 6 {
					if ((m[8] + m[9])[0]-'?')>>bit&1 != 0 && y+bit >= img.Bounds().Dy() {
						tt.Errorf("a pixel below the picture, in row %d", y+bit)
					} else if ((m[8] + m[9])[0]-'?')>>bit&1 != 0 {
						img.Set(x, y+bit, colour)
					}
				}
				x++
			}
		}
	}
	return img
}

func decoded(tt *testing.T, data string) image.Image {
	tt.Helper()
	b, err := base64.StdEncoding.DecodeString(data)
	if err != nil {
		tt.Fatal(err)
	}
	img, err := png.Decode(bytes.NewReader(b))
	if err != nil {
		tt.Fatal(err)
	}
	return img
}

// answered returns a screen to whose question a terminal with a protocol has answered.
func answered(protocol Protocol) *Screen {
	now := time.Unix(1e9, 0)
	s := &Screen{Now: func() time.Time { now = now.Add(time.Minute); return now }}
	for _, e := range answersOf(protocol) {
		s.Answer(e)
	}
	return s
}

func answersOf(protocol Protocol) []any {
	attributes := uv.PrimaryDeviceAttributesEvent{62, 22}
	var k uv.KittyGraphicsEvent
	k.Options.ID, k.Payload = firstID, []byte("OK")
	switch protocol {
	case Kitty:
		return []any{k, attributes}
	case ITerm2:
		return []any{tea.TerminalVersionMsg{Name: "iTerm2 3.5.0"}, attributes}
	case Sixel:
		return []any{uv.CellSizeEvent{Width: 10, Height: 20}, append(attributes, 4)}
	}
	return []any{attributes}
}

// made returns a picture of w by h pixels, all different.
func made(w, h, seed int) []byte {
	rgb := make([]byte, 3*w*h)
	for i := range rgb {
		rgb[i] = byte(i*seed>>3 + i)
	}
	return rgb
}

// frameOf returns a screen of w by h cells with pictures at places.
func frameOf(w, h int, lines map[[2]int][]string) string {
	rows := make([]string, h)
	for y := range rows {
		for x := 0; x < w; x++ {
			drawn := false
			for place, picture := range lines {
				if x == place[0] && y >= place[1] && y < place[1]+len(picture) {
					rows[y] += picture[y-place[1]]
					x += strings.Count(picture[0], mark) - 1
					drawn = true
				}
			}
			if !drawn {
				rows[y] += "."
			}
		}
	}
	return strings.Join(rows, "\n")
}

// TestArrives: in each protocol, a picture arrives whole at its cells, is not sent again by frames
// that do not touch it, comes back where one has, moves, and goes when it is left.
func TestArrives(t *testing.T) {
	for _, protocol := range []Protocol{Kitty, ITerm2, Sixel} {
		t.Run(string(protocol), func(t *testing.T) {
			s, term := answered(protocol), newTerminal(40, 12)
			if s.Protocol() != protocol {
				t.Fatalf("the protocol is %q", s.Protocol())
			}
			write := func(screen, bytes string) int {
				s.Show(screen)
				out, wait := s.Frame(bytes)
				if wait != 0 {
					t.Errorf("there is a wait of %v", wait)
				}
				term.write(t, out)
				if protocol != Kitty {
					term.overwritten(6, 3)
				}
				return len(out) - len(bytes)
			}
			first, second := made(24, 24, 1), made(24, 24, 5)
			at, other := [2]int{3, 2}, [2]int{20, 5}
			both := frameOf(40, 12, map[[2]int][]string{at: s.Cells(24, 24, first, 6, 3),
				other: s.Cells(24, 24, second, 6, 3)})
			write(both, "\x1b[1;1H"+both)
			checkPicture(t, term.shown[at], first, protocol)
			checkPicture(t, term.shown[other], second, protocol)
			if n := write(both, "\x1b[1;1H."); n != 0 {
				t.Errorf("a frame beside the pictures has %d bytes more", n)
			}
			write(both, "\x1b[1;1H"+both) // such as after a new size
			checkPicture(t, term.shown[at], first, protocol)
			moved := frameOf(40, 12, map[[2]int][]string{other: s.Cells(24, 24, first, 6, 3)})
			write(moved, "\x1b[1;1H"+moved)
			checkPicture(t, term.shown[other], first, protocol)
			if len(term.shown) != 1 {
				t.Errorf("%d pictures are shown, want 1", len(term.shown))
			}
			write(moved, "\x1b[1;1H"+leaves)
			if len(term.shown) != 0 || len(term.kept) != 0 {
				t.Errorf("%d pictures are left, and %d kept", len(term.shown), len(term.kept))
			}
			if out, _ := s.Frame("$ "); out != "$ " {
				t.Errorf("after that, %q is written", out)
			}
			write(moved, comes+"\x1b[1;1H"+moved) // after a pause of the program
			checkPicture(t, term.shown[other], first, protocol)
		})
	}
}

// checkPicture checks a picture that arrived: its colours to the last bit, but for sixels, which
// have a palette.
func checkPicture(t *testing.T, got image.Image, rgb []byte, protocol Protocol) {
	t.Helper()
	if got == nil {
		t.Error("no picture")
		return
	}
	size := got.Bounds()
	want := image.Rect(0, 0, 24, 24)
	near := 0
	if protocol == Sixel {
		want, near = image.Rect(0, 0, 60, 60), 46
	}
	if size != want {
		t.Errorf("a picture of %v, want %v", size, want)
		return
	}
	for y := range 24 {
		for x := range 24 {
			r, g, b, _ := got.At((x*size.Dx()+12)/24, (y*size.Dy()+12)/24).RGBA()
			for k, v := range []uint32{r, g, b} {
				if d := int(v>>8) - int(rgb[3*(24*y+x)+k]); max(d, -d) > near {
					t.Fatalf("pixel %d, %d has %d, want %d", x, y, v>>8, rgb[3*(24*y+x)+k])
				}
			}
		}
	}
}

// TestAnswers: pictures are drawn only where the terminal has said that it can, and not before its
// last answer; nor where it says nonsense, or says later that it cannot.
func TestAnswers(t *testing.T) {
	for _, c := range []struct {
		name   string
		events []any
		want   Protocol
	}{
		{"nothing", nil, None},
		{"no picture", answersOf(None), None},
		{"no last answer", answersOf(Kitty)[:1], None},
		{"sixels without the size of a cell", answersOf(Sixel)[1:], None},
		{"sixels in cells of a kilometre", []any{uv.CellSizeEvent{Width: 1 << 20, Height: 20},
			uv.PrimaryDeviceAttributesEvent{4}}, None},
		{"another name", []any{tea.TerminalVersionMsg{Name: "xterm(388) iTerm2"},
			uv.PrimaryDeviceAttributesEvent{62}}, None},
		{"kitty's protocol, refused", []any{refusal(0), uv.PrimaryDeviceAttributesEvent{62}}, None},
		{"kitty's protocol, and a picture that was refused", append(answersOf(Kitty), refusal(7)),
			None},
		{"kitty's protocol, and a refusal of a picture of somebody else",
			append(answersOf(Kitty), refusal(-1)), Kitty},
		{"all of them", slices.Concat(answersOf(Sixel), answersOf(Kitty)), Kitty},
	} {
		s := &Screen{}
		for _, e := range c.events {
			s.Answer(e)
		}
		if got := s.Protocol(); got != c.want {
			t.Errorf("%s: the protocol is %q, want %q", c.name, got, c.want)
		}
		if lines := s.Cells(8, 8, made(8, 8, 1), 4, 2); (lines != nil) != (c.want != None) {
			t.Errorf("%s: cells %q", c.name, lines)
		}
	}
}

// refusal is an error of a terminal about a picture.
func refusal(id int) uv.KittyGraphicsEvent {
	var k uv.KittyGraphicsEvent
	k.Options.ID, k.Payload = firstID+id, []byte("EINVAL: no")
	return k
}

// TestBytes: no picture takes more than MostBytes, and all of them no more than MostRate a second;
// those that have to wait come later.
func TestBytes(t *testing.T) {
	for _, protocol := range testsize.Few(1, Sixel, Kitty, ITerm2) {
		s, now := answered(protocol), time.Unix(2e9, 0)
		s.Now = func() time.Time { return now }
		term, noise := newTerminal(200, 50), rand.NewChaCha8([32]byte{})
		pictures := map[[2]int][]string{}
		for i := range testsize.Pick(6, 8, 8) {
			rgb := make([]byte, 3*MostSide*MostSide) // noise, which nothing makes shorter
			noise.Read(rgb)
			pictures[[2]int{i % 10 * 19, i / 10 * 20}] = s.Cells(MostSide, MostSide, rgb, 18, 9)
		}
		screen := frameOf(200, 50, pictures)
		s.Show(screen)
		bytes, frames, total := screen, 0, 0
		for ; len(term.shown) < len(pictures); frames++ {
			if frames > 100 {
				t.Fatalf("%s: %d pictures after %d frames", protocol, len(term.shown), frames)
			}
			out, wait := s.Frame("\x1b[1;1H" + bytes)
			total += len(out) - len(bytes) - len("\x1b[1;1H")
			since := now.Sub(time.Unix(2e9, 0))
			if most := MostRate * (1 + since.Seconds()); float64(total) > most {
				t.Errorf("%s: %d bytes in %v", protocol, total, since)
			}
			for _, p := range s.pictures {
				if p != nil && len(p.data) > MostBytes {
					t.Errorf("%s: a picture of %d bytes", protocol, len(p.data))
				}
			}
			term.write(t, out)
			now, bytes = now.Add(wait), ""
		}
		if total < MostRate || frames < 2 {
			t.Errorf("%s: %d bytes in %d frames are too few for this test", protocol, total, frames)
		}
	}
}

// TestCovered: a picture of which something hides a part is not drawn, and one that is too large is
// none.
func TestCovered(t *testing.T) {
	s := answered(Sixel)
	screen := frameOf(20, 6, map[[2]int][]string{{2, 1}: s.Cells(8, 8, made(8, 8, 1), 6, 3)})
	s.Show(screen)
	if len(s.wanted) != 1 {
		t.Fatalf("the picture is at %v", s.wanted)
	}
	s.Show(strings.Replace(screen, mark, "x", 1))
	if len(s.wanted) != 0 {
		t.Errorf("a covered picture is at %v", s.wanted)
	}
	if s.Cells(MostSide+1, 1, made(MostSide+1, 1, 1), 6, 3) != nil {
		t.Error("a picture that is too large has cells")
	}
}

// TestManyPictures: the number of a picture is that of one that was not used for longest.
func TestManyPictures(t *testing.T) {
	s := answered(Kitty)
	first := s.Cells(8, 8, made(8, 8, 1), 4, 2)
	for i := range 3 * mostPictures {
		s.Cells(8, 8, made(8, 8, i+2), 4, 2)
		if again := s.Cells(8, 8, made(8, 8, 1), 4, 2); !slices.Equal(again, first) {
			t.Fatalf("after %d others the picture is another one", i)
		}
	}
	if len(s.numbers) > mostPictures {
		t.Errorf("%d pictures are known", len(s.numbers))
	}
}

// BenchmarkSixels encodes a picture of the film.
func BenchmarkSixels(b *testing.B) {
	s := answered(Sixel)
	rgb := make([]byte, 3*32*32)
	for i := range rgb {
		rgb[i] = byte(i / 300 * 20)
	}
	for b.Loop() {
		p := &picture{look: look{cells: 24, lines: 12}, id: 1, w: 32, h: 32, rgb: rgb}
		b.ReportMetric(float64(len(s.encoded(p))), "bytes")
	}
}
