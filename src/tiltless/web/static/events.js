// One socket for the tab: news of the topics it watches, joined again after a loss.

const TOO_MANY = 1013; // the server's code for a tab too many
const watched = new Set(); // of {topic, last, tell}
let socket = null;
let wait = 1000;
let pinged = 0;
let wasOffline = false;

function status(text) {
  document.getElementById("connection").textContent = text;
  const offline = Boolean(text);
  if (document.body.classList.toggle("offline", offline) !== wasOffline) {
    wasOffline = offline;
    document.dispatchEvent(new Event("connection"));
  }
}

/** Whether the server cannot be reached at the moment. */
export const isOffline = () => wasOffline;

function ask() {
  if (socket && socket.readyState === WebSocket.OPEN && watched.size) {
    const topics = Object.fromEntries([...watched].map(({ topic, last }) => [topic, last]));
    socket.send(JSON.stringify({ watch: topics }));
  }
}

function connect() {
  socket = new WebSocket(`${location.protocol === "https:" ? "wss" : "ws"}://${location.host}/api/events`);
  socket.addEventListener("open", () => {
    pinged = 0;
    ask();
  });
  socket.addEventListener("message", ({ data }) => {
    wait = 1000;
    pinged = 0;
    status("");
    const event = JSON.parse(data);
    for (const each of watched) {
      if (each.topic !== event.topic || (each.last !== null && event.seq <= each.last && event.kind !== "resync")) continue;
      each.last = event.seq;
      each.tell(event);
    }
  });
  socket.addEventListener("close", ({ code }) => {
    status(code === TOO_MANY ? "too many tabs: close one" : "reconnecting…");
    setTimeout(connect, wait * (0.75 + Math.random() / 2));
    wait = Math.min(2 * wait, 15000);
  });
}

setInterval(() => {
  if (!socket || socket.readyState !== WebSocket.OPEN) return;
  if (pinged && Date.now() - pinged > 9000) socket.close();
  else {
    pinged = pinged || Date.now();
    socket.send('"ping"');
  }
}, 5000);

/** Watch a topic; returns a function that stops it. */
export function watch(topic, tell) {
  const each = { topic, last: null, tell };
  watched.add(each);
  if (!socket) connect();
  ask();
  return () => watched.delete(each);
}
