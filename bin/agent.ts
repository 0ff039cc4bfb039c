/** The agent alone, without the rest of the tool: what a DaemonSet runs. */
import process from 'node:process'
import { agentMain } from './agent/agent-main.ts'

process.exit(await agentMain(process.argv.slice(2)))
