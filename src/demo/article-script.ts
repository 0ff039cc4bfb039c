/** The commands of a script; all waits are theirs. */
export interface ScriptHands {
  /** In the order in which they are rebooted. */
  readonly nodes: readonly string[]
  carriesIngress(node: string): boolean
  /** `kubectl drain`; `what` may restrict it to pods with volumes. */
  drain(node: string, what: 'withVolumes' | 'all'): Promise<void>
  /** Settles once the API shows another boot id. */
  reboot(node: string): Promise<void>
  uncordon(node: string): Promise<void>
  setServers(node: string, state: 'maint' | 'ready'): Promise<void>
  pause(ms: number): Promise<void>
}

/** The pauses that a script has in place of checks. */
export interface Pauses {
  readonly afterMaintMs: number
  readonly afterBootMs: number
  readonly afterUncordonMs: number
  /** Added to that, where the script commands a balancer. */
  readonly beforeReadyMs: number
  readonly afterReadyMs: number
}

interface Script {
  readonly tellsBalancer: boolean
  readonly twoSteps: boolean
  readonly pauses: Pauses
}

type ScriptStep = 'maint' | 'drain' | 'reboot' | 'uncordon' | 'ready' | 'done'

/** The article's loop over its hosts: drain, reboot, wait, uncordon, wait. It never checks the service. */
export async function runArticleScript(
  hands: ScriptHands,
  { tellsBalancer, twoSteps, pauses }: Script,
  tell: (node: string, step: ScriptStep) => void = () => undefined,
): Promise<void> {
  for (const node of hands.nodes) {
    const isDetached = tellsBalancer && hands.carriesIngress(node)
    if (isDetached) {
      tell(node, 'maint')
      await hands.setServers(node, 'maint')
      await hands.pause(pauses.afterMaintMs)
    }
    tell(node, 'drain')
    if (twoSteps) await hands.drain(node, 'withVolumes')
    await hands.drain(node, 'all')
    tell(node, 'reboot')
    await hands.reboot(node)
    await hands.pause(pauses.afterBootMs)
    tell(node, 'uncordon')
    await hands.uncordon(node)
    await hands.pause(pauses.afterUncordonMs)
    if (isDetached) {
      await hands.pause(pauses.beforeReadyMs)
      tell(node, 'ready')
      await hands.setServers(node, 'ready')
      await hands.pause(pauses.afterReadyMs)
    }
    tell(node, 'done')
  }
}
