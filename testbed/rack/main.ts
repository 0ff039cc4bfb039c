/**
 * The first process in the namespaces of a rack: brings the cluster up and answers its owner. When it ends, the kernel
 * ends every process of the rack, and with the last of them go mounts, links, routes and rules.
 */
import { serveControl } from '../wire/control-server.ts'
import { rackHandlers } from './handlers.ts'
import { controlSocket, readPlan } from './plan.ts'
import { Rack } from './rack.ts'

const [path = ''] = process.argv.slice(2)
const plan = readPlan(path)
const rack = new Rack(plan)
const up = rack.bringUp()
// A client that asks is told of a failure. Until then this handler keeps the failure from counting as unhandled.
up.catch((error: unknown) => console.error(error))
await serveControl(controlSocket(plan.runtime), rackHandlers(rack, up))
