package cgroup

import (
	"os"
	"path/filepath"
	"testing"
)

// made returns a tree with some files. The file self says to which groups the process belongs.
func made(t *testing.T, files map[string]string) Tree {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return Tree{filepath.Join(dir, "fs"), filepath.Join(dir, "self")}
}

// TestGroups: the tightest of a group and those above it counts, in either version, and where the
// path of the group is one of the host of a container.
func TestGroups(t *testing.T) {
	const gb = 1_000_000_000
	for name, c := range map[string]struct {
		files  map[string]string
		memory Memory // zero: no limit
		quota  Quota
	}{
		"version 2": {map[string]string{
			"self":                        "0::/user/job\n",
			"fs/user/job/memory.max":      "1000000000\n",
			"fs/user/job/memory.current":  "700000000\n",
			"fs/user/job/memory.stat":     "anon 600000000\ninactive_file 50000000\n",
			"fs/user/job/cpu.max":         "50000 100000\n",
			"fs/user/job/cpu.stat":        "usage_usec 2500000\nuser_usec 1\n",
			"fs/user/memory.max":          "max\n",
			"fs/user/memory.current":      "900000000\n",
			"fs/user/cpu.max":             "200000 100000\n",
			"fs/memory.max":               "ignored\n",
			"fs/user/job/cpu.stat.local":  "",
			"fs/user/job/below/cpu.max":   "1 100000\n",
			"fs/elsewhere/memory.max":     "1\n",
			"fs/elsewhere/memory.current": "1\n",
		}, Memory{.65 * gb, gb}, Quota{.5, 2.5}},
		"a tighter group above": {map[string]string{
			"self":                   "0::/user/job\n",
			"fs/user/memory.max":     "1000000000\n",
			"fs/user/memory.current": "900000000\n",
			"fs/user/cpu.max":        "150000 100000\n",
			"fs/user/job/memory.max": "max\n",
			"fs/user/job/cpu.max":    "max 100000\n",
		}, Memory{.9 * gb, gb}, Quota{Cores: 1.5}},
		"version 1": {map[string]string{
			"self": "9:name=systemd:/\n4:memory:/job\n" +
				"2:cpuacct,cpu:/job\n0::/\n",
			"fs/memory/job/memory.limit_in_bytes": "1000000000\n",
			"fs/memory/job/memory.usage_in_bytes": "700000000\n",
			"fs/memory/job/memory.stat":           "total_inactive_file 200000000\n",
			"fs/memory/memory.limit_in_bytes":     "9223372036854771712\n",
			"fs/memory/memory.usage_in_bytes":     "700000000\n",
			"fs/cpu/job/cpu.cfs_quota_us":         "50000\n",
			"fs/cpu/job/cpu.cfs_period_us":        "100000\n",
			"fs/cpuacct/job/cpuacct.usage":        "2500000000\n",
			"fs/cpu/cpu.cfs_quota_us":             "-1\n",
			"fs/cpu/cpu.cfs_period_us":            "100000\n",
		}, Memory{.5 * gb, gb}, Quota{.5, 2.5}},
		"version 1 in a container": {map[string]string{
			"self":                            "4:memory:/docker/1f\n1:cpu:/docker/1f\n",
			"fs/memory/memory.limit_in_bytes": "1000000000\n",
			"fs/memory/memory.usage_in_bytes": "700000000\n",
			"fs/cpu/cpu.cfs_quota_us":         "50000\n",
			"fs/cpu/cpu.cfs_period_us":        "100000\n",
		}, Memory{.7 * gb, gb}, Quota{Cores: .5}},
		"a path that leads out": {map[string]string{
			"self":              "0::/../../other\n",
			"fs/memory.max":     "1000000000\n",
			"fs/memory.current": "0\n",
			"memory.max":        "1\n",
			"memory.current":    "1\n",
		}, Memory{0, gb}, Quota{}},
		"no limits": {map[string]string{"self": "0::/\n", "fs/cpu.max": "max 100000\n",
			"fs/memory.max": "max\n"}, Memory{}, Quota{}},
		"nonsense": {map[string]string{"self": "\x00:::\n0::/\n", "fs/cpu.max": "-1 0\n",
			"fs/memory.max": "x\n", "fs/memory.current": "1\n"}, Memory{}, Quota{}},
		"no groups": {nil, Memory{}, Quota{}},
	} {
		tree := made(t, c.files)
		memory, limited := tree.Memory()
		if want := c.memory.Most > 0; memory != c.memory || limited != want {
			t.Errorf("%s: Memory() = %v, %v, want %v, %v", name, memory, limited, c.memory, want)
		}
		quota, limited := tree.Quota()
		if want := c.quota.Cores > 0; quota != c.quota || limited != want {
			t.Errorf("%s: Quota() = %v, %v, want %v, %v", name, quota, limited, c.quota, want)
		}
	}
}
