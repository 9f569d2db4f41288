package tui

import (
	"regexp"
	"strings"
	"testing"

	"drolab/dro/testsize"
	"drolab/tui/internal/tuitest"
)

// TestCuts: on no page, at no size, does a line or a part of it end in a separator, and in ASCII no
// cut looks like a full stop. Text is cut only where it reaches the edge of its column: no word is
// cut where more cells than its mark are free behind it.
func TestCuts(t *testing.T) {
	// A part of a line ends at two blanks, at a border or at the edge.
	const end = `(  |[│|╮╯]|$)`
	dangling := regexp.MustCompile(`[[:alnum:]%)\]] [·.](…|~)?` + end)
	free := regexp.MustCompile(`[[:alpha:]](…|~) {6,}`)
	// In ASCII a cut has a mark of its own, and no full stop.
	stop := regexp.MustCompile(`[[:alpha:]]\.[[:alpha:]]{1,3}[ ◂<]`)
	sizes := [][2]int{{80, 24}, {120, 40}, {200, 60}, {40, 12}, {60, 20}, {100, 30}, {160, 44}}
	for _, environ := range testsize.Few(1, []string{"DROLAB_ASCII=1"}, nil) {
		for _, v := range pages(t) {
			r := v.open(t, 80, 24, environ...)
			for _, size := range testsize.Few(1, sizes...) {
				r.size(size[0], size[1])
				s := tuitest.Text(r.shot(t))
				for line := range strings.SplitSeq(s, "\n") {
					for _, rule := range []*regexp.Regexp{dangling, free} {
						if v.name == "samples" && rule == free { // captions end with their pictures
							continue
						}
						if at := rule.FindString(line); at != "" {
							t.Errorf("%s at %v, %v: %q in\n%s", v.name, size, environ, at, line)
						}
					}
				}
				if at := stop.FindString(s); at != "" && environ != nil {
					t.Errorf("%s at %v: is %q a name that was cut?\n%s", v.name, size, at, s)
				}
			}
		}
	}
}
