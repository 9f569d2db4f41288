package source

import "testing"

func TestLocate(t *testing.T) {
	for name, want := range map[string]string{
		"shapes":                  "shapes",
		"csv:example":             "csv:example",
		"csv:example?label=group": "csv:example?label=group",
		"idx:digits":              "idx:/home/me/digits",
		"idx:/data/digits":        "idx:/data/digits",
		"rows.csv":                "/home/me/rows.csv",
		"/data/rows.csv":          "/data/rows.csv",
		"csv:rows.txt":            "csv:/home/me/rows.txt",
		"csv:../rows.csv?label=y": "csv:/home/rows.csv?label=y",
		"csv:rows.csv?test=more.csv&label=y": "csv:/home/me/rows.csv?" +
			"test=/home/me/more.csv&label=y",
		"csv:/rows.csv?test=/data/t.csv": "csv:/rows.csv?test=/data/t.csv",
		"rows.csv?label=y":               "/home/me/rows.csv?label=y",
		"rows.tsv.gz":                    "/home/me/rows.tsv.gz",
		"npz:a.npz?x=f&g=a,b":            "npz:/home/me/a.npz?x=f&g=a,b",
		"npy:s/X.npy?y=Y.npy&g=G.npy,/H.npy": "npy:/home/me/s/X.npy?" +
			"y=/home/me/s/Y.npy&g=/home/me/s/G.npy,/H.npy",
		"X.npy?y=Y.npy&split=../S.npy": "/home/me/X.npy?y=/home/me/Y.npy&split=/home/S.npy",
		"csv:":                         "csv:",
		"csv:rows.csv?drop=%zz&b":      "csv:/home/me/rows.csv?drop=%zz&b",
		"csv:?label=y":                 "csv:?label=y",
		"wherever":                     "wherever",
	} {
		if got := Locate(name, "/home/me"); got != want {
			t.Errorf("Locate(%q) = %q, want %q", name, got, want)
		}
		if got := Locate(want, "/elsewhere"); got != want {
			t.Errorf("Locate(%q) again = %q", want, got)
		}
	}
}
