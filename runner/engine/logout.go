package engine

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// LogoutAdvice says what to do where systemd would end the engine at logout: this process is in the
// control group of a login session, with KillUserProcesses=yes. Elsewhere, and where this cannot be
// found out, the advice is empty.
func LogoutAdvice() string {
	group, err := os.ReadFile("/proc/self/cgroup")
	inLogin := err == nil && strings.Contains(string(group), "/session-")
	if !inLogin || !killsAtLogout(logindFiles()) {
		return ""
	}
	return "this system ends all your processes at logout (KillUserProcesses=yes): " +
		"start the engine with\n" +
		"  loginctl enable-linger && systemd-run --user --scope drolab engine"
}

// logindFiles lists the settings files of systemd-logind; a later file overrides an earlier one.
func logindFiles() []string {
	var list []string
	for _, base := range []string{"/usr/lib/systemd", "/run/systemd", "/etc/systemd"} {
		list = append(list, filepath.Join(base, "logind.conf"))
		// No error can come: the pattern is well formed.
		more, _ := filepath.Glob(filepath.Join(base, "logind.conf.d", "*.conf"))
		list = append(list, more...)
	}
	return list
}

// killsAtLogout reads KillUserProcesses. If it is not set, it counts as no, which is the default in
// distributions.
func killsAtLogout(files []string) (kills bool) {
	for _, path := range files {
		text, _ := os.ReadFile(path) // a file that cannot be read sets nothing
		for line := range strings.Lines(string(text)) {
			key, value, _ := strings.Cut(line, "=")
			if strings.TrimSpace(key) == "KillUserProcesses" {
				value = strings.ToLower(strings.TrimSpace(value))
				kills = slices.Contains([]string{"yes", "true", "on", "1"}, value)
			}
		}
	}
	return kills
}
