/**
 * The process that owns the bed of the command line: started by `up`, it holds the bed until `down` asks it to end. It
 * tells its starter, while that one listens, how the start goes.
 */
import { openBed } from '../bed.ts'
import { commandLineBed, type OwnerMessage } from './owner-message.ts'

const nodes = Number(process.argv[2])
const tell = (message: OwnerMessage): void => {
  if (process.connected) process.send?.(message)
}

try {
  const bed = await openBed({
    name: commandLineBed,
    nodes,
    controlPlaneOnly: nodes === 0,
    say: (line) => tell({ line }),
  })
  const asked = new Promise<void>((resolve) => {
    process.on('SIGTERM', () => resolve())
    process.on('SIGINT', () => resolve())
  })
  tell({ kubeconfig: bed.kubeconfig })
  await Promise.race([asked, bed.ended])
  await bed.close()
} catch (error) {
  tell({ error: error instanceof Error ? error.message : String(error) })
  process.exitCode = 1
}
if (process.connected) process.disconnect()
