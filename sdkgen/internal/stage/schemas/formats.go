package schemas

import (
	"math"
	"strings"
)

// formats are JSON Schema's keywords for the formats that the API server checks. JSON Schema knows few of them, and
// some of those otherwise: so most are patterns. Where a pattern is wider than the format, the API server refuses more.
var formats = map[string]node{
	"int32": {"minimum": float64(math.MinInt32), "maximum": float64(math.MaxInt32)},
	"datetime": {
		"format":  "date-time",
		"pattern": `^[0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])[Tt]([01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9](\.[0-9]+)?([Zz]|[+-][0-9]{2}:[0-9]{2})$`,
	},
	"date": {"format": "date", "pattern": `^[0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])$`},
	"byte": {"contentEncoding": "base64",
		"pattern": `^([A-Za-z0-9+/]{4})*([A-Za-z0-9+/]{4}|[A-Za-z0-9+/]{3}=|[A-Za-z0-9+/]{2}==)$`},
	"uuid":         {"pattern": `^[0-9a-fA-F]{8}-?[0-9a-fA-F]{4}-?[0-9a-fA-F]{4}-?[0-9a-fA-F]{4}-?[0-9a-fA-F]{12}$`},
	"uuid3":        {"pattern": `^[0-9a-fA-F]{8}-?[0-9a-fA-F]{4}-?3[0-9a-fA-F]{3}-?[0-9a-fA-F]{4}-?[0-9a-fA-F]{12}$`},
	"uuid4":        {"pattern": `^[0-9a-fA-F]{8}-?[0-9a-fA-F]{4}-?4[0-9a-fA-F]{3}-?[89abAB][0-9a-fA-F]{3}-?[0-9a-fA-F]{12}$`},
	"uuid5":        {"pattern": `^[0-9a-fA-F]{8}-?[0-9a-fA-F]{4}-?5[0-9a-fA-F]{3}-?[89abAB][0-9a-fA-F]{3}-?[0-9a-fA-F]{12}$`},
	"ipv4":         {"pattern": `^(0*(25[0-5]|2[0-4][0-9]|1?[0-9]{1,2})\.){3}0*(25[0-5]|2[0-4][0-9]|1?[0-9]{1,2})$`},
	"ipv6":         {"pattern": `^[0-9a-fA-F:.]*:[0-9a-fA-F:.]*$`},
	"cidr":         {"pattern": `^[0-9a-fA-F:.]+/[0-9]{1,3}$`},
	"mac":          {"pattern": `^[0-9a-fA-F]{2,4}([:.-][0-9a-fA-F]{2,4})+$`},
	"email":        {"pattern": `@`},
	"hostname":     {"maxLength": 255, "pattern": `^[^\s/:@]+$`},
	"uri":          {"pattern": `^(/|\*$|[A-Za-z][A-Za-z0-9+.-]*:)`},
	"duration":     {"pattern": `[0-9]`},
	"hexcolor":     {"pattern": `^#?([0-9a-fA-F]{3}|[0-9a-fA-F]{6})$`},
	"ssn":          {"pattern": `^[0-9]{3}[- ]?[0-9]{2}[- ]?[0-9]{4}$`},
	"bsonobjectid": {"pattern": `^[0-9a-fA-F]{24}$`},
	"k8sshortname": {"maxLength": 63, "pattern": label},
	"k8slongname":  {"maxLength": 253, "pattern": subdomain},
}

// addFormat adds the keywords for a format to a schema; what the schema says of the same keywords holds too.
func addFormat(out node, format string) {
	keywords := formats[strings.ReplaceAll(format, "-", "")]
	left := node{}
	for keyword, value := range keywords {
		own, taken := out[keyword]
		bound, number := own.(float64)
		switch {
		case !taken:
			out[keyword] = value
		case number && (keyword == "minimum" && bound >= math.MinInt32 || keyword == "maximum" && bound <= math.MaxInt32):
		default:
			left[keyword] = value
		}
	}
	if len(left) > 0 {
		list, _ := out["allOf"].([]any)
		out["allOf"] = append(list, left)
	}
}
