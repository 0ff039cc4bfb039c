import { describe } from 'node:test'
import { ClusterJournals } from '../support/cluster-journals.ts'
import { journalContract } from './journal-contract.ts'

describe('journals as ConfigMaps, on the embedded API', () => {
  journalContract(async () => {
    const journals = new ClusterJournals()
    const { put, done } = journals
    return { store: journals.process().store, another: journals.process().store, put, done }
  })
})
