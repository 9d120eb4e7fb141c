package openapigen

import (
	"archive/zip"
	"bytes"
	"maps"
	"slices"
	"strings"
)

// mainClass is the jar's own.
const mainClass = "org.openapitools.codegen.OpenAPIGenerator"

// generators are the classes of the generators that sdkgen asks for, by the jar's names of them.
var generators = map[string]string{
	"go":            "org.openapitools.codegen.languages.GoClientCodegen",
	"python-legacy": "org.openapitools.codegen.languages.PythonLegacyClientCodegen",
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

// front returns a small jar that goes before the jar on the class path, and has it there by the
// Class-Path of its manifest. Its list of generators is read first: without it the jar makes a
// hundred others on the way to the right one. classPath is a path relative to the front's directory,
// or a URL. The bytes are the same for the same jar.
func (j *Jar) front(classPath string) ([]byte, error) {
	names, err := j.names()
	if err != nil {
		return nil, err
	}
	var services strings.Builder
	for _, class := range slices.Sorted(maps.Values(generators)) {
		if slices.Contains(names, strings.ReplaceAll(class, ".", "/")+".class") {
			services.WriteString(class + "\n")
		}
	}
	var data bytes.Buffer
	out := zip.NewWriter(&data)
	for _, file := range [][2]string{
		{"META-INF/MANIFEST.MF", manifest("Manifest-Version: 1.0", "Main-Class: "+mainClass, "Class-Path: "+classPath)},
		{"META-INF/services/org.openapitools.codegen.CodegenConfig", services.String()},
		{"logback.xml", logging},
	} {
		w, err := out.CreateHeader(&zip.FileHeader{Name: file[0], Method: zip.Store})
		if err == nil {
			_, err = w.Write([]byte(file[1]))
		}
		if err != nil {
			return nil, err
		}
	}
	err = out.Close()
	return data.Bytes(), err
}

// manifest writes lines of at most 72 bytes, as Java wants them.
func manifest(lines ...string) string {
	const width = 70
	var out strings.Builder
	for _, line := range lines {
		for len(line) > width {
			out.WriteString(line[:width] + "\r\n")
			line = " " + line[width:]
		}
		out.WriteString(line + "\r\n")
	}
	return out.String()
}
