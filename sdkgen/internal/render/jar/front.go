package jar

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/flux-framework/flux-operator/sdkgen/internal/render"
)

// mainClass is the jar's own.
const mainClass = "org.openapitools.codegen.OpenAPIGenerator"

// generators are the classes of the generators that sdkgen asks for, by the jar's names of them.
var generators = map[string]string{
	render.Go:     "org.openapitools.codegen.languages.GoClientCodegen",
	render.Python: "org.openapitools.codegen.languages.PythonLegacyClientCodegen",
}

// logging is the jar's own configuration without its conditions, for which it compiles Java.
const logging = `<configuration>
  <statusListener class="ch.qos.logback.core.status.NopStatusListener"/>
  <appender name="out" class="ch.qos.logback.core.ConsoleAppender">
    <encoder><pattern>[%thread] %-5level %logger{36} - %msg%n</pattern></encoder>
  </appender>
  <logger name="io.swagger" level="warn"/>
  <logger name="org.openapitools" level="info"/>
  <root level="error"><appender-ref ref="out"/></root>
</configuration>
`

// writeFront writes a directory that goes before the jar on the class path. Java reads its list of
// generators first; without it the jar constructs a hundred others on the way to the right one. This
// and the configuration of the log save a quarter of the jar's CPU time.
func writeFront(dir string, jobs []render.Job) error {
	var classes []string
	for _, job := range jobs {
		if class := generators[job.Generator]; !slices.Contains(classes, class) {
			classes = append(classes, class)
		}
	}
	services := filepath.Join(dir, "META-INF", "services")
	if err := os.MkdirAll(services, 0o755); err != nil {
		return err
	}
	list := filepath.Join(services, "org.openapitools.codegen.CodegenConfig")
	if err := os.WriteFile(list, []byte(strings.Join(classes, "\n")), 0o644); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, "logback.xml"), []byte(logging), 0o644)
}
