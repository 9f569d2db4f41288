package source

import (
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"drolab/runner/data"
)

// ofTests is the folder of tables that pyarrow wrote, and of their contents.
var ofTests = filepath.Join("..", "table", "testdata")

// A table in Parquet gives the same samples as in CSV, whatever its form.
func TestParquetIsTheTable(t *testing.T) {
	for _, options := range []string{
		"?label=kind&group=flag&drop=nothing,bytes,ordered&missing=drop",
		"?label=runs&group=kind&drop=nothing,bytes,ordered&missing=category",
		"?label=runs&drop=ordered&missing=mean&test_fraction=.4&data_seed=3",
	} {
		want, err := Open("csv:"+filepath.Join(ofTests, "want.csv")+options,
			data.Options{Rows: true})
		if err != nil {
			t.Fatal(err)
		}
		for _, form := range []string{"plain", "snappy", "gzip", "zstd", "zstd2", "delta"} {
			got, err := Open("parquet:"+filepath.Join(ofTests, form+".parquet")+options,
				data.Options{Rows: true})
			if err != nil {
				t.Fatal(err)
			}
			sameSamples(t, form, got, want)
			got.Close()
		}
		want.Close()
	}
}

func near(a, b float32) bool { return math.Abs(float64(a-b)) <= 1e-6*max(1, math.Abs(float64(b))) }

func sameSamples(t *testing.T, form string, got, want *data.Dataset) {
	t.Helper()
	if !slices.Equal(got.Classes, want.Classes) {
		t.Fatalf("%s: classes %q, want %q", form, got.Classes, want.Classes)
	}
	if !slices.Equal(got.Groups, want.Groups) {
		t.Fatalf("%s: groups %q, want %q", form, got.Groups, want.Groups)
	}
	if got.Shape != want.Shape {
		t.Fatalf("%s: shape %v, want %v", form, got.Shape, want.Shape)
	}
	x, y := make([]float32, got.Shape.Len()), make([]float32, got.Shape.Len())
	for k, split := range []data.Source{got.Train, got.Test} {
		other := []data.Source{want.Train, want.Test}[k]
		if split.Len() != other.Len() {
			t.Fatalf("%s: %d samples, want %d", form, split.Len(), other.Len())
		}
		for i := range split.Len() {
			split.Read(x, i)
			other.Read(y, i)
			if !slices.EqualFunc(x, y, near) {
				t.Fatalf("%s: sample %d is %v, want %v", form, i, x, y)
			}
			gotMarks := [...]int{split.Label(i), split.Group(i), data.Row(split, i)}
			wantMarks := [...]int{other.Label(i), other.Group(i), data.Row(other, i)}
			if gotMarks != wantMarks {
				t.Fatalf("%s: sample %d has class, group and row %v, want %v", form, i, gotMarks,
					wantMarks)
			}
		}
	}
}

// The name alone is enough, an encoder of CSV takes a table in Parquet, and errors say what is
// impossible.
func TestParquetFiles(t *testing.T) {
	path := filepath.Join(ofTests, "snappy.parquet")
	const options = "?label=kind&drop=nothing,bytes,ordered,money&missing=mean"
	d, err := Open(path+strings.Replace(options, "mean", "drop", 1), data.Options{})
	if err != nil {
		t.Fatal(err)
	}
	d.Close()
	table := "csv:" + filepath.Join(ofTests, "want.csv") +
		strings.Replace(options, "mean", "drop", 1)
	want, err := Open(table, data.Options{Rows: true})
	if err != nil {
		t.Fatal(err)
	}
	defer want.Close()
	now, err := Open("parquet:"+path+"?missing=drop",
		data.Options{Encoder: &want.Encoder, Rows: true})
	if err != nil {
		t.Fatal(err)
	}
	defer now.Close()
	if now.Test.Len() != want.Train.Len()+want.Test.Len() {
		t.Errorf("%d samples by an encoder, want %d", now.Test.Len(),
			want.Train.Len()+want.Test.Len())
	}
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	cut := writeFile(t, "cut.parquet", string(whole[:len(whole)/2]))
	for name, wanted := range map[string]string{
		path + options + "&sep=tab": "unknown option", path + "?label=nosuch": `no column "nosuch"`,
		"parquet:none.parquet": "check the path", cut: "may be cut off",
		path + "?label=kind": "missing=drop to leave",
		filepath.Join(ofTests, "nested.parquet") + "?label=y": "is nested",
	} {
		if _, err := Open(name, data.Options{}); err == nil ||
			!strings.Contains(err.Error(), wanted) {
			t.Errorf("%s: %v, want %q", name, err, wanted)
		}
	}
	at := Locate("parquet:a.parquet?test=b.parquet", "/dir")
	if at != "parquet:/dir/a.parquet?test=/dir/b.parquet" {
		t.Errorf("located %s", at)
	}
}

// FuzzParquet reads anything that calls itself a table in Parquet, in a process of its own. That
// process may panic or run out of memory; the error is one line that blames the file.
func FuzzParquet(f *testing.F) {
	if raceDetector {
		f.Skip("the detector takes more memory than the reader may")
	}
	for _, form := range []string{"plain", "snappy", "gzip", "zstd", "zstd2", "delta", "lz4",
		"brotli", "nested", "times", "old"} {
		b, err := os.ReadFile(filepath.Join(ofTests, form+".parquet"))
		if err != nil {
			f.Fatal(err)
		}
		f.Add(b)
	}
	// A footer of seven bytes that declares a schema of 2³¹ − 1 columns.
	f.Add([]byte("PAR1\x29\xfc\xff\xff\xff\xff\x07\x07\x00\x00\x00PAR1"))
	readApart(f)
	f.Fuzz(func(t *testing.T, b []byte) {
		d, err := Open(writeFile(t, "a.parquet", string(b))+"?label=kind&missing=drop",
			data.Options{})
		if err == nil {
			d.Close()
			return
		}
		text := err.Error()
		if strings.ContainsAny(text, "\n\x1b") || strings.Contains(text, "please report it") {
			t.Errorf("error %q, want one line that asks for no report", text)
		}
	})
}
