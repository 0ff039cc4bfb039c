import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { cacheRoot } from '../../testbed/build/cache-root.ts'
import { run } from '../../testbed/machine/run.ts'

const VERSION = 'v0.4.3'
const FOLDER = join(cacheRoot(), `krew-${VERSION}`)
const PROGRAM = join(FOLDER, 'krew')

export const isKrewBuilt = (): boolean => existsSync(PROGRAM)

/** krew, the manager of kubectl plugins, built from its Go module where that was not done before. */
export async function krew(): Promise<string> {
  if (!isKrewBuilt()) {
    const env = { GOBIN: FOLDER, CGO_ENABLED: '0' }
    await run(['go', 'install', '-trimpath', `sigs.k8s.io/krew/cmd/krew@${VERSION}`], { env, limitMs: 600_000 })
  }
  return PROGRAM
}
