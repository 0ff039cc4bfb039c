/**
 * The parts of bin/in-cluster.ts that the agent does not need. In the image they are a file of their own: the agent runs on
 * every node, and does not load them.
 */
export const controller = async (words: readonly string[]): Promise<number> =>
  (await import('./controller/controller-main.ts')).controllerMain(words)

export const dns = async (words: readonly string[]): Promise<number> =>
  (await import('./dns/in-cluster-dns.ts')).dnsMain(words)

export const rebooter = async (words: readonly string[]): Promise<number> =>
  (await import('./rebooter/rebooter-main.ts')).rebooterMain(words)
