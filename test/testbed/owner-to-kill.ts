/** Opens a bed, says where it is, and holds it until it is killed. */
import { openBed } from '../../testbed/bed.ts'

const bed = await openBed({ nodes: 1, addons: false })
process.send?.({ name: bed.name, dir: bed.dir })
await bed.ended
