import type { Network } from '../network/network.ts'
import { HttpService, type HttpServiceParts } from './http-service.ts'
import type { LoopbackDataPlane } from './loopback-data-plane.ts'

interface LoopbackNetwork extends Network {
  /** Nothing that listened here is left open. */
  end(): void
}

/** This machine's loopback as the model's balancer sees a network: real HTTP servers and real connections to nodes. */
export function loopbackNetwork(parts: Omit<HttpServiceParts, 'links'>, plane: LoopbackDataPlane): LoopbackNetwork {
  const services = new Set<HttpService>()
  const nothing = (): void => undefined
  return {
    dial: (to, answered) => plane.dial(to, answered),
    listen: (at, listener) => {
      const service = new HttpService({ ...parts, links: plane.links }, at, listener)
      services.add(service)
      return () => service.close()
    },
    // Hosts come, go and lose their power by the plane.
    addHost: nothing,
    setPower: nothing,
    removeHost: nothing,
    end: () => {
      for (const service of services) service.end()
    },
  }
}
