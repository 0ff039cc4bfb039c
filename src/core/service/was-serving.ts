import type { RecordedServer } from '../../model/node-record.ts'

/**
 * It was sent traffic before us: only that is waited for on the way back. One that was `ready` and down already (an app
 * that does not run on every node) is put back to `ready` as it was. Records of earlier versions do not tell.
 */
export const wasServing = ({ state, operational = 'up' }: RecordedServer): boolean =>
  state === 'ready' && (operational === 'up' || operational === 'starting')
