import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe } from 'node:test'
import { ClusterJournals } from '../support/cluster-journals.ts'
import { EmbeddedApi } from '../support/embedded-api.ts'
import { journalsAt } from '../support/journals-at.ts'
import { LoopbackApi } from '../support/loopback-api.ts'
import { journalContract } from './journal-contract.ts'

describe('journals as ConfigMaps, on the embedded API', () => {
  journalContract(async () => {
    const journals = new ClusterJournals()
    const { put, done } = journals
    return { store: journals.process().store, another: journals.process().store, put, done }
  })
})

describe('journals as ConfigMaps, over HTTP and by the options of a command', () => {
  journalContract(async (t) => {
    const directory = await mkdtemp(join(tmpdir(), 'evenkeel-journals-'))
    const { world } = new EmbeddedApi('evenkeel')
    const api = new LoopbackApi(world, directory)
    await api.back()
    t.after(async () => {
      api.away()
      await rm(directory, { recursive: true })
    })
    return {
      store: journalsAt(api.kubeconfig, 'evenkeel'),
      another: journalsAt(api.kubeconfig, 'evenkeel'),
      done: (work) => work,
      put: async (run, text) => {
        const url = `${api.url}/api/v1/namespaces/evenkeel/configmaps/evenkeel-run-${run.toLowerCase()}-0`
        const headers = { 'content-type': 'application/merge-patch+json' }
        const body = JSON.stringify({ data: { 'journal.jsonl': text.toString() } })
        await fetch(url, { method: 'PATCH', headers, body })
      },
    }
  })
})
