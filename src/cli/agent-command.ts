import type { AddCommand } from './program.ts'

/** Exit code of the agent, once it ended. */
type AgentMain = (words: readonly string[]) => Promise<number>

/** The agent is a program of its own, which reads its options without this one's libraries; here it is only found. */
export const addAgentCommand =
  (load: () => Promise<AgentMain>): AddCommand =>
  (program, _context, exitWith) => {
    program
      .command('agent')
      .summary('answer the health checks of load balancers, on one node')
      .description(
        'Answers the health checks of load balancers on one node: `evenkeel agent --help` lists its options.',
      )
      .usage('--node NAME [options]')
      .helpOption(false)
      .argument('[options...]')
      .allowUnknownOption()
      .passThroughOptions()
      .action(async (words: readonly string[]) => exitWith(await (await load())(words)))
  }
