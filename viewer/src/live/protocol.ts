// A session of `tact serve` over a websocket: requests, and their answers in the same order (docs/serve_tool.md).

export type Vec = [number, number, number];

export interface ContactPoint {
  depth: number;
  normal: Vec;
  pa: Vec;
  pb: Vec;
}

export interface Contact {
  a: string;
  b: string;
  phase: "begin" | "persist" | "end";
  points?: ContactPoint[];
}

export type Answer = Record<string, unknown>;

/** An answer in parts: messages are joined, and answers end at line ends. */
export class LineReader {
  private rest = "";

  /** Adds a message; returns the lines that are complete now. */
  add(text: string): string[] {
    const lines = (this.rest + text).split("\n");
    this.rest = lines.pop()!;
    return lines.filter((line) => line.trim() !== "");
  }
}

export class Session {
  private readonly socket: WebSocket;
  private readonly waiting: { resolve: (answer: Answer) => void; reject: (reason: Error) => void; sent: number }[] = [];
  private readonly lines = new LineReader();
  /** Milliseconds between the last request and its answer. */
  latency = 0;
  onclose: (reason: string) => void = () => undefined;
  private reason = "the server has closed the connection";

  private constructor(socket: WebSocket) {
    this.socket = socket;
    socket.onmessage = (message) => {
      for (const line of this.lines.add(String(message.data))) this.take(JSON.parse(line) as Answer);
    };
    socket.onclose = () => {
      for (const one of this.waiting.splice(0)) one.reject(new Error(this.reason));
      this.onclose(this.reason);
    };
  }

  /** Connects, and shows the token if there is one. */
  static async open(address: string, token: string): Promise<Session> {
    const socket = new WebSocket(address);
    await new Promise<void>((resolve, reject) => {
      socket.onopen = () => resolve();
      socket.onerror = () => reject(new Error(`nothing answers at ${address}`));
    });
    const session = new Session(socket);
    await session.ask(token ? { op: "hello", token } : { op: "hello" });
    return session;
  }

  private take(answer: Answer): void {
    const one = this.waiting.shift();
    if (typeof answer["error"] === "string") this.reason = answer["error"];
    if (!one) return;
    this.latency = performance.now() - one.sent;
    if (typeof answer["error"] === "string") one.reject(new Error(answer["error"]));
    else one.resolve(answer);
  }

  ask(request: Record<string, unknown>): Promise<Answer> {
    return new Promise((resolve, reject) => {
      if (this.socket.readyState !== WebSocket.OPEN) {
        reject(new Error(this.reason));
        return;
      }
      this.waiting.push({ resolve, reject, sent: performance.now() });
      this.socket.send(`${JSON.stringify(request)}\n`);
    });
  }

  close(): void {
    this.socket.close();
  }
}
