import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { parse } from 'yaml'
import { crdFile, crdTemplate, crdTemplateFile, crdYaml, SHIPPED_CRDS } from '../../bin/docs/crd-yaml.ts'

for (const crd of SHIPPED_CRDS) {
  const { definition } = crd
  test(`the CustomResourceDefinition ${definition.metadata.name} that is shipped is that of the code, and so is that of the chart`, () => {
    const shipped = (file: string) => readFileSync(new URL(`../../deploy/${file}`, import.meta.url), 'utf8')
    assert.ok(shipped(crdFile(crd)) === crdYaml(crd), 'run: npm run docs')
    assert.deepEqual(parse(shipped(crdFile(crd))), definition)
    assert.ok(shipped(crdTemplateFile(crd)) === crdTemplate(crd), 'run: npm run docs')
  })
}

test('each CustomResourceDefinition that is shipped has files of its own', () => {
  const files = SHIPPED_CRDS.flatMap((crd) => [crdFile(crd), crdTemplateFile(crd)])
  assert.equal(new Set(files).size, files.length)
})
