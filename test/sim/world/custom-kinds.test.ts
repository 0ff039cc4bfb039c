import assert from 'node:assert/strict'
import { test } from 'node:test'
import { INGRESS_GROUPS } from '../../../src/ground/model/ingress-keys.ts'
import { guardCrd } from '../../../src/guard/decide/schema/guard-crd.ts'
import { ingressCrd } from '../../../src/ingress/decide/schema/ingress-crd.ts'
import { rollCrd } from '../../../src/operator/reading/roll-crd.ts'
import { scheduleCrd } from '../../../src/operator/reading/schedule-crd.ts'
import { API_RESOURCES } from '../../../src/sim/world/api-resource.ts'

for (const { metadata, spec } of [...INGRESS_GROUPS.map(ingressCrd), guardCrd(), rollCrd(), scheduleCrd()]) {
  test(`the embedded cluster serves ${metadata.name} as its CustomResourceDefinition says`, () => {
    const { plural, kind } = spec.names
    const [version] = spec.versions
    const found = API_RESOURCES.find((one) => one.plural === plural && one.group === spec.group)
    assert.ok(found)
    assert.deepEqual(
      [found.kind, found.version, found.namespaced, found.status !== undefined, found.counted],
      [kind, version?.name, spec.scope === 'Namespaced', version?.subresources.status !== undefined, true],
    )
  })
}
