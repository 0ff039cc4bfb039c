import { readFileSync, writeFileSync } from 'node:fs'
import { causesPage } from '../src/dns/decide/causes-page.ts'
import { troubleshootingPage } from '../src/ground/model/reasons/troubleshooting-page.ts'
import { rollFileJsonSchema } from '../src/roll/file/roll-file-json-schema.ts'
import { rollFileReference } from '../src/roll/file/roll-file-reference.ts'
import { crdFile, crdTemplate, crdTemplateFile, crdYaml, SHIPPED_CRDS } from './docs/crd-yaml.ts'
import { lawsPage } from './docs/laws-page.ts'
import { readLaws } from './docs/read-laws.ts'
import { ROLL_RIGHTS_TEMPLATE, rollRightsTemplate } from './docs/roll-rights-template.ts'

/**
 * Writes the pages of docs/ and the CustomResourceDefinitions that are made from code. Tests compare them, so that they stay up
 * to date.
 */
const docs = new URL('../docs/', import.meta.url)
const schema = rollFileJsonSchema()
const example = readFileSync(new URL('roll.example.yaml', docs), 'utf8')

writeFileSync(new URL('roll-file.md', docs), rollFileReference(schema, example))
writeFileSync(new URL('roll.schema.json', docs), `${JSON.stringify(schema, null, 2)}\n`)
writeFileSync(new URL('dns-causes.md', docs), causesPage())
writeFileSync(new URL('troubleshooting.md', docs), troubleshootingPage())
writeFileSync(new URL('internals/laws.md', docs), lawsPage(readLaws().laws))
writeFileSync(new URL(`../deploy/${ROLL_RIGHTS_TEMPLATE}`, import.meta.url), rollRightsTemplate())
for (const crd of SHIPPED_CRDS) {
  writeFileSync(new URL(`../deploy/${crdFile(crd)}`, import.meta.url), crdYaml(crd))
  writeFileSync(new URL(`../deploy/${crdTemplateFile(crd)}`, import.meta.url), crdTemplate(crd))
}
