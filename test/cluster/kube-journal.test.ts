import assert from 'node:assert/strict'
import { after, before, describe } from 'node:test'
import { type Bed, openBed } from '../../testbed/bed.ts'
import { journalContract } from '../contract/journal-contract.ts'
import { journalsAt } from '../support/journals-at.ts'
import { type RawApi, rawApi } from '../support/raw-api.ts'
import { requires } from '../support/requires.ts'

describe('journals as ConfigMaps, on a real API server', requires('testbed'), () => {
  let bed: Bed | undefined
  let raw: { readonly ask: RawApi; readonly close: () => void } | undefined
  let namespaces = 0

  before(async () => {
    bed = await openBed({ controlPlaneOnly: true })
    raw = rawApi(bed.kubeconfig)
  })
  after(async () => {
    raw?.close()
    await bed?.close()
  })

  journalContract(async () => {
    assert.ok(bed && raw)
    const { kubeconfig } = bed
    const { ask } = raw
    namespaces += 1
    const namespace = `journals-${namespaces}`
    await ask('POST', '/api/v1/namespaces', { metadata: { name: namespace } })
    return {
      store: journalsAt(kubeconfig, namespace),
      another: journalsAt(kubeconfig, namespace),
      done: (work) => work,
      put: async (run, text) => {
        const name = `evenkeel-run-${run.toLowerCase()}-0`
        const path = `/api/v1/namespaces/${namespace}/configmaps/${name}`
        const { status } = await ask('PATCH', path, { data: { 'journal.jsonl': text.toString() } })
        assert.equal(status, 200)
      },
    }
  })
})
