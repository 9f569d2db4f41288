package source

import (
	"fmt"
	"image/color"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"drolab/runner/data"
)

// picturesIn writes files below a new folder: pictures, links where a name has the form a=>b, and
// texts where the name ends in .txt. Each class needs several files.
func picturesIn(t *testing.T, names ...string) (dir string) {
	t.Helper()
	dir = t.TempDir()
	for _, name := range names {
		link, to, isLink := strings.Cut(name, "=>")
		path := filepath.Join(dir, link)
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		var err error
		switch {
		case isLink:
			err = os.Symlink(to, path)
		case strings.HasSuffix(name, ".txt"), strings.HasSuffix(name, ".ppm"):
			err = os.WriteFile(path, []byte("no picture"), 0o666)
		default:
			paint(t, path, 8, 8, color.White)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// Links are followed, folders are walked down, and what is left out is counted and named.
func TestPictureFoldersAsTheyAre(t *testing.T) {
	two := []string{"red/1.png", "red/2.png", "blue/1.png", "blue/2.png"}
	with := func(more ...string) []string { return append(slices.Clone(two), more...) }
	both := map[string]int{"red": 2, "blue": 2}
	parted := []string{"train/red/1.png", "train/blue/1.png", "test/red/2.png", "test/blue/2.png"}
	for _, c := range []struct {
		name  string
		files []string
		want  map[string]int // by class
		notes []string
	}{
		{"plain", two, both, nil},
		{"a link to a folder", with("green=>red"),
			map[string]int{"red": 2, "blue": 2, "green": 2}, nil},
		{"a link to a file", with("red/3.png=>../blue/1.png"),
			map[string]int{"red": 3, "blue": 2}, nil},
		{"a folder below", with("red/a/b/3.png"), map[string]int{"red": 3, "blue": 2}, nil},
		{"a circle", with("red/again=>.."), both, []string{
			`left out, since it is a link to a folder that it lies in: 1, the first is "red/again"`}},
		{"a circle as a class", with("again=>."), both, []string{
			`left out, since it is a link to a folder that it lies in: 1, the first is "again"`}},
		{"a longer circle", with("red/a/b=>../../blue", "blue/c=>../red"),
			// Through each other, each class has the pictures of both.
			map[string]int{"red": 4, "blue": 4}, []string{"left out, since it is a link to a " +
				`folder that it lies in: 2, the first is "blue/c/a/b"`}},
		{"a dead link", with("red/3.png=>nowhere.png"), both, []string{
			`left out, since it is a link that leads nowhere: 1, the first is "red/3.png"`}},
		{"hidden", with("red/.3.png", ".git/1.png"), both, []string{
			`left out, since the name begins with a point: 2, the first is ".git"`}},
		{"other files", with("red/a.txt", "red/b.TXT", "blue/c.ppm"), both, []string{
			"left out, since the name does not end as that of a picture (.txt: 2, .ppm: 1): 3, " +
				`the first is "blue/c.ppm"`}},
		{"beside the classes", with("title.png", "README.txt"), both, []string{
			`left out, since it lies outside the folder of a class: 1, the first is "title.png"`}},
		{"splits", parted, both, nil},
		{"Training and Testing", []string{"Training/red/1.png", "Training/blue/1.png",
			"Testing/red/2.png", "Testing/blue/2.png"}, both, nil},
		{"Train and Test", []string{"Train/red/1.png", "Train/blue/1.png", "Test/red/2.png",
			"Test/blue/2.png"}, both, nil},
		{"a folder beside splits", append(slices.Clone(parted), "extra/a/1.png", "extra/2.png",
			"3.png", "LICENCE.txt"), both, []string{"left out, since it lies beside the folders " +
			`of the splits: 3, the first is "3.png"`}},
		{"classes that are numbers", []string{"0/1.png", "0/2.png", "1/1.png", "1/2.png"},
			map[string]int{"0": 2, "1": 2}, nil},
		{"a class called train", []string{"train/1.png", "train/2.png", "car/1.png", "car/2.png"},
			map[string]int{"train": 2, "car": 2}, nil},
		{"classes named as missing values", []string{"None/1.png", "None/2.png", "NA/1.png",
			"NA/2.png", "nan/1.png", "nan/2.png", "-/1.png", "-/2.png"},
			map[string]int{"None": 2, "NA": 2, "nan": 2, "-": 2}, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			d, err := Open("images:"+picturesIn(t, c.files...)+"?size=4"+half(c.files),
				data.Options{Dir: t.TempDir()})
			if err != nil {
				t.Fatal(err)
			}
			defer d.Close()
			if got := countsByClass(d); !maps.Equal(got, c.want) {
				t.Errorf("classes have %v pictures, want %v", got, c.want)
			}
			if !slices.Equal(d.Notes, c.notes) {
				t.Errorf("the notes are %q, want %q", d.Notes, c.notes)
			}
		})
	}
}

// half returns the option that divides classes of two pictures; folders of splits do not need it.
func half(files []string) string {
	if strings.HasPrefix(files[0], "train/red") || strings.HasPrefix(files[0], "Train") {
		return ""
	}
	return "&test_fraction=.5"
}

// A link of another user is left out: in a folder that others write to, it could lead to pictures
// that this user alone may read. Files of another user are read if the system permits it.
func TestPicturesOfAnotherUser(t *testing.T) {
	if os.Getuid() != 0 {
		return // only the administrator can give files away
	}
	dir := picturesIn(t, "red/1.png", "red/2.png", "blue/1.png", "blue/2.png", "red/3.png=>1.png",
		"green=>red")
	const somebody = 12345
	for _, name := range []string{"blue/1.png", "red/3.png", "green"} {
		if err := os.Lchown(filepath.Join(dir, name), somebody, somebody); err != nil {
			t.Fatal(err)
		}
	}
	d, err := Open("images:"+dir+"?size=4&test_fraction=.5", data.Options{Dir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	if got := countsByClass(d); !maps.Equal(got, map[string]int{"red": 2, "blue": 2}) {
		t.Errorf("classes have %v pictures, want 2 of red and blue each", got)
	}
	want := []string{`left out, since it is a link of another user: 2, the first is "green"`}
	if !slices.Equal(d.Notes, want) {
		t.Errorf("the notes are %q, want %q", d.Notes, want)
	}
}

// A class that loses all of its files is refused, and so is a picture without a label.
func TestLostClasses(t *testing.T) {
	two := []string{"red/1.png", "red/2.png"}
	for want, files := range map[string][]string{
		`none of the 2 files in the folder "blue" is a picture that can be read (.ppm: 1, .txt: 1): ` +
			"make them .bmp, .gif, ": {"blue/1.ppm", "blue/2.txt"},
		`the folder "blue" holds no picture: fill it, or take it out`: {"blue/deep/.hidden.png"},
	} {
		dir := picturesIn(t, append(files, two...)...)
		refused(t, "images:"+dir+"?size=4&test_fraction=.5", data.Options{Dir: t.TempDir()}, want)
	}
	dir := picturesIn(t, two...)
	label := func(first string) {
		text := fmt.Sprintf("file,label\nred/1.png,%s\nred/2.png,NA\nred/1.png,None\n"+
			"red/2.png,NA\nred/1.png,None\n", first)
		path := filepath.Join(dir, "metadata.csv")
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	label("")
	refused(t, "images:"+dir+"?size=4", data.Options{Dir: t.TempDir()},
		`line 2: no "label": fill it in, or take the line out`)
	label("NA")
	d, err := Open("images:"+dir+"?size=4&test_fraction=.4", data.Options{Dir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	if got := countsByClass(d); !maps.Equal(got, map[string]int{"NA": 3, "None": 2}) {
		t.Errorf("classes have %v pictures, want 3 of NA and 2 of None", got)
	}
}

// Pictures that are not read as they are stored are counted, also when they come from the cache.
func TestPictureNotes(t *testing.T) {
	dir := picturesIn(t, "red/1.png", "red/2.png", "blue/1.png", "blue/2.png")
	clear := filepath.Join(dir, "red", "3.png")
	paint(t, clear, 8, 8, color.NRGBA{200, 100, 50, 128})
	cache := t.TempDir()
	want := []string{"pictures with transparent parts, which become black: 1 of 5"}
	for _, when := range []string{"first", "from the cache"} {
		d, err := Open("images:"+dir+"?size=4&test_fraction=.4", data.Options{Dir: cache})
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(d.Notes, want) {
			t.Errorf("%s: the notes are %q, want %q", when, d.Notes, want)
		}
		d.Close()
	}
}
