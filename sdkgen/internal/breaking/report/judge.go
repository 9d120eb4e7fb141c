package report

import (
	"fmt"

	"github.com/flux-framework/flux-operator/sdkgen/internal/breaking/compare"
)

// Judge returns why a report does not pass, "" if it does. limit is the verdict that no change may have,
// compare.Compatible for no limit. In an API version that makes no promise (v1alpha1) a breaking change passes if the
// version of the SDKs tells of it: see Bump.
func (r *Report) Judge(limit compare.Verdict) string {
	if limit == compare.Compatible {
		return ""
	}
	var promised, risky, noticed int
	for _, change := range r.Changes {
		verdict := change.Verdict()
		switch {
		case change.Accepted != "":
		case verdict == compare.Breaking && Promised(change.Place.Version):
			promised++
		case verdict == compare.Breaking:
			noticed++
		case verdict == compare.Risky:
			risky++
		}
	}
	switch bump := r.Bump(); {
	case promised > 0:
		return fmt.Sprintf("%s in API versions that promise not to break", count(promised, "breaking change"))
	case noticed > 0 && bump != "":
		return fmt.Sprintf("%s, and the %s number of version in the configuration is still that of %s (%s, now %s)",
			count(noticed, "breaking change"), bump, r.Against, r.Before, r.After)
	case risky > 0 && limit == compare.Risky:
		return count(risky, "risky change")
	}
	return ""
}

func count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}
